from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
print('@@ACC')
if hasattr(plgpu, 'ACC'):
  help(plgpu.ACC)
print('@@Barrier')
if hasattr(plgpu, 'Barrier'):
  help(plgpu.Barrier)
print('@@BlockSpec')
if hasattr(plgpu, 'BlockSpec'):
  help(plgpu.BlockSpec)
print('@@ClusterBarrier')
if hasattr(plgpu, 'ClusterBarrier'):
  help(plgpu.ClusterBarrier)
print('@@CompilerParams')
if hasattr(plgpu, 'CompilerParams'):
  help(plgpu.CompilerParams)
print('@@CopyPartition')
if hasattr(plgpu, 'CopyPartition'):
  help(plgpu.CopyPartition)
print('@@Layout')
if hasattr(plgpu, 'Layout'):
  help(plgpu.Layout)
print('@@LoweringSemantics')
if hasattr(plgpu, 'LoweringSemantics'):
  help(plgpu.LoweringSemantics)
print('@@MemorySpace')
if hasattr(plgpu, 'MemorySpace'):
  help(plgpu.MemorySpace)
print('@@Mesh')
if hasattr(plgpu, 'Mesh'):
  help(plgpu.Mesh)
print('@@NDLoopInfo')
if hasattr(plgpu, 'NDLoopInfo'):
  help(plgpu.NDLoopInfo)
print('@@OOBFillMode')
if hasattr(plgpu, 'OOBFillMode'):
  help(plgpu.OOBFillMode)
print('@@PeerMemRef')
if hasattr(plgpu, 'PeerMemRef'):
  help(plgpu.PeerMemRef)
print('@@PipelinePipeline')
if hasattr(plgpu, 'PipelinePipeline'):
  help(plgpu.PipelinePipeline)
print('@@RefType')
if hasattr(plgpu, 'RefType'):
  help(plgpu.RefType)
print('@@RefUnion')
if hasattr(plgpu, 'RefUnion'):
  help(plgpu.RefUnion)
print('@@Replicated')
if hasattr(plgpu, 'Replicated'):
  help(plgpu.Replicated)
print('@@SemaphoreSignal')
if hasattr(plgpu, 'SemaphoreSignal'):
  help(plgpu.SemaphoreSignal)
print('@@SemaphoreType')
if hasattr(plgpu, 'SemaphoreType'):
  help(plgpu.SemaphoreType)
print('@@ShapeDtypeStruct')
if hasattr(plgpu, 'ShapeDtypeStruct'):
  help(plgpu.ShapeDtypeStruct)
print('@@SwizzleTransform')
if hasattr(plgpu, 'SwizzleTransform'):
  help(plgpu.SwizzleTransform)
print('@@TMEMLayout')
if hasattr(plgpu, 'TMEMLayout'):
  help(plgpu.TMEMLayout)
print('@@Tiling')
if hasattr(plgpu, 'Tiling'):
  help(plgpu.Tiling)
print('@@TilingTransform')
if hasattr(plgpu, 'TilingTransform'):
  help(plgpu.TilingTransform)
print('@@TraceScope')
if hasattr(plgpu, 'TraceScope'):
  help(plgpu.TraceScope)
print('@@Transform')
if hasattr(plgpu, 'Transform'):
  help(plgpu.Transform)
print('@@TryClusterCancelResult')
if hasattr(plgpu, 'TryClusterCancelResult'):
  help(plgpu.TryClusterCancelResult)
print('@@WGMMAAccumulatorRef')
if hasattr(plgpu, 'WGMMAAccumulatorRef'):
  help(plgpu.WGMMAAccumulatorRef)
print('@@WarpMesh')
if hasattr(plgpu, 'WarpMesh'):
  help(plgpu.WarpMesh)
print('@@as_torch_kernel')
if hasattr(plgpu, 'as_torch_kernel'):
  help(plgpu.as_torch_kernel)
print('@@async_copy_scales_to_tmem')
if hasattr(plgpu, 'async_copy_scales_to_tmem'):
  help(plgpu.async_copy_scales_to_tmem)
print('@@async_copy_smem_to_tmem')
if hasattr(plgpu, 'async_copy_smem_to_tmem'):
  help(plgpu.async_copy_smem_to_tmem)
print('@@async_copy_sparse_metadata_to_tmem')
if hasattr(plgpu, 'async_copy_sparse_metadata_to_tmem'):
  help(plgpu.async_copy_sparse_metadata_to_tmem)
print('@@async_load_tmem')
if hasattr(plgpu, 'async_load_tmem'):
  help(plgpu.async_load_tmem)
print('@@async_prefetch')
if hasattr(plgpu, 'async_prefetch'):
  help(plgpu.async_prefetch)
print('@@async_store_smem')
if hasattr(plgpu, 'async_store_smem'):
  help(plgpu.async_store_smem)
print('@@async_store_tmem')
if hasattr(plgpu, 'async_store_tmem'):
  help(plgpu.async_store_tmem)
print('@@atomic_add')
if hasattr(plgpu, 'atomic_add'):
  help(plgpu.atomic_add)
print('@@atomic_and')
if hasattr(plgpu, 'atomic_and'):
  help(plgpu.atomic_and)
print('@@atomic_max')
if hasattr(plgpu, 'atomic_max'):
  help(plgpu.atomic_max)
print('@@atomic_min')
if hasattr(plgpu, 'atomic_min'):
  help(plgpu.atomic_min)
print('@@atomic_or')
if hasattr(plgpu, 'atomic_or'):
  help(plgpu.atomic_or)
print('@@atomic_xor')
if hasattr(plgpu, 'atomic_xor'):
  help(plgpu.atomic_xor)
print('@@barrier_arrive')
if hasattr(plgpu, 'barrier_arrive'):
  help(plgpu.barrier_arrive)
print('@@barrier_test')
if hasattr(plgpu, 'barrier_test'):
  help(plgpu.barrier_test)
print('@@barrier_wait')
if hasattr(plgpu, 'barrier_wait'):
  help(plgpu.barrier_wait)
print('@@broadcasted_iota')
if hasattr(plgpu, 'broadcasted_iota'):
  help(plgpu.broadcasted_iota)
print('@@cluster_ref')
if hasattr(plgpu, 'cluster_ref'):
  help(plgpu.cluster_ref)
print('@@commit_smem')
if hasattr(plgpu, 'commit_smem'):
  help(plgpu.commit_smem)
print('@@commit_smem_to_gmem_group')
if hasattr(plgpu, 'commit_smem_to_gmem_group'):
  help(plgpu.commit_smem_to_gmem_group)
print('@@commit_tmem')
if hasattr(plgpu, 'commit_tmem'):
  help(plgpu.commit_tmem)
print('@@copy_gmem_to_smem')
if hasattr(plgpu, 'copy_gmem_to_smem'):
  help(plgpu.copy_gmem_to_smem)
print('@@copy_smem_to_gmem')
if hasattr(plgpu, 'copy_smem_to_gmem'):
  help(plgpu.copy_smem_to_gmem)
print('@@dynamic_scheduling_loop')
if hasattr(plgpu, 'dynamic_scheduling_loop'):
  help(plgpu.dynamic_scheduling_loop)
print('@@emit_pipeline')
if hasattr(plgpu, 'emit_pipeline'):
  help(plgpu.emit_pipeline)
print('@@emit_pipeline_warp_specialized')
if hasattr(plgpu, 'emit_pipeline_warp_specialized'):
  help(plgpu.emit_pipeline_warp_specialized)
print('@@find_swizzle')
if hasattr(plgpu, 'find_swizzle'):
  help(plgpu.find_swizzle)
print('@@format_tcgen05_sparse_metadata')
if hasattr(plgpu, 'format_tcgen05_sparse_metadata'):
  help(plgpu.format_tcgen05_sparse_metadata)
print('@@griddepcontrol_launch_dependents')
if hasattr(plgpu, 'griddepcontrol_launch_dependents'):
  help(plgpu.griddepcontrol_launch_dependents)
print('@@griddepcontrol_wait')
if hasattr(plgpu, 'griddepcontrol_wait'):
  help(plgpu.griddepcontrol_wait)
print('@@inline_mgpu')
if hasattr(plgpu, 'inline_mgpu'):
  help(plgpu.inline_mgpu)
print('@@kernel')
if hasattr(plgpu, 'kernel'):
  help(plgpu.kernel)
print('@@layout_cast')
if hasattr(plgpu, 'layout_cast'):
  help(plgpu.layout_cast)
print('@@load')
if hasattr(plgpu, 'load'):
  help(plgpu.load)
print('@@mma')
if hasattr(plgpu, 'mma'):
  help(plgpu.mma)
print('@@multicast_ref')
if hasattr(plgpu, 'multicast_ref'):
  help(plgpu.multicast_ref)
print('@@multimem_load_reduce')
if hasattr(plgpu, 'multimem_load_reduce'):
  help(plgpu.multimem_load_reduce)
print('@@multimem_store')
if hasattr(plgpu, 'multimem_store'):
  help(plgpu.multimem_store)
print('@@nd_loop')
if hasattr(plgpu, 'nd_loop'):
  help(plgpu.nd_loop)
print('@@planar_snake')
if hasattr(plgpu, 'planar_snake'):
  help(plgpu.planar_snake)
print('@@print_layout')
if hasattr(plgpu, 'print_layout'):
  help(plgpu.print_layout)
print('@@query_cluster_cancel')
if hasattr(plgpu, 'query_cluster_cancel'):
  help(plgpu.query_cluster_cancel)
print('@@remote_ref')
if hasattr(plgpu, 'remote_ref'):
  help(plgpu.remote_ref)
print('@@semaphore_signal')
if hasattr(plgpu, 'semaphore_signal'):
  help(plgpu.semaphore_signal)
print('@@semaphore_signal_multicast')
if hasattr(plgpu, 'semaphore_signal_multicast'):
  help(plgpu.semaphore_signal_multicast)
print('@@semaphore_signal_parallel')
if hasattr(plgpu, 'semaphore_signal_parallel'):
  help(plgpu.semaphore_signal_parallel)
print('@@semaphore_wait')
if hasattr(plgpu, 'semaphore_wait'):
  help(plgpu.semaphore_wait)
print('@@set_max_registers')
if hasattr(plgpu, 'set_max_registers'):
  help(plgpu.set_max_registers)
print('@@tcgen05_commit_arrive')
if hasattr(plgpu, 'tcgen05_commit_arrive'):
  help(plgpu.tcgen05_commit_arrive)
print('@@tcgen05_mma')
if hasattr(plgpu, 'tcgen05_mma'):
  help(plgpu.tcgen05_mma)
print('@@transform_ref')
if hasattr(plgpu, 'transform_ref'):
  help(plgpu.transform_ref)
print('@@transpose_ref')
if hasattr(plgpu, 'transpose_ref'):
  help(plgpu.transpose_ref)
print('@@try_cluster_cancel')
if hasattr(plgpu, 'try_cluster_cancel'):
  help(plgpu.try_cluster_cancel)
print('@@wait_gmem_to_smem')
if hasattr(plgpu, 'wait_gmem_to_smem'):
  help(plgpu.wait_gmem_to_smem)
print('@@wait_load_tmem')
if hasattr(plgpu, 'wait_load_tmem'):
  help(plgpu.wait_load_tmem)
print('@@wait_smem_to_gmem')
if hasattr(plgpu, 'wait_smem_to_gmem'):
  help(plgpu.wait_smem_to_gmem)
print('@@warp_map')
if hasattr(plgpu, 'warp_map'):
  help(plgpu.warp_map)
print('@@wgmma')
if hasattr(plgpu, 'wgmma'):
  help(plgpu.wgmma)
print('@@wgmma_accumulator_load')
if hasattr(plgpu, 'wgmma_accumulator_load'):
  help(plgpu.wgmma_accumulator_load)
print('@@wgmma_wait')
if hasattr(plgpu, 'wgmma_wait'):
  help(plgpu.wgmma_wait)
print('@@pl.run_scoped')
if hasattr(pl, 'run_scoped'):
  help(pl.run_scoped)
print('@@pl.run_state')
if hasattr(pl, 'run_state'):
  help(pl.run_state)
print('@@pl.core_map')
if hasattr(pl, 'core_map'):
  help(pl.core_map)
print('@@pl.when')
if hasattr(pl, 'when'):
  help(pl.when)
print('@@pl.loop')
if hasattr(pl, 'loop'):
  help(pl.loop)
print('@@pl.debug_print')
if hasattr(pl, 'debug_print'):
  help(pl.debug_print)
print('@@pl.get_global')
if hasattr(pl, 'get_global'):
  help(pl.get_global)
print('@@pl.semaphore_signal')
if hasattr(pl, 'semaphore_signal'):
  help(pl.semaphore_signal)
print('@@pl.semaphore_wait')
if hasattr(pl, 'semaphore_wait'):
  help(pl.semaphore_wait)
print('@@pl.semaphore_read')
if hasattr(pl, 'semaphore_read'):
  help(pl.semaphore_read)
print('@@pl.pallas_call')
if hasattr(pl, 'pallas_call'):
  help(pl.pallas_call)
print('@@pl.BlockSpec')
if hasattr(pl, 'BlockSpec'):
  help(pl.BlockSpec)
print('@@pl.program_id')
if hasattr(pl, 'program_id'):
  help(pl.program_id)
print('@@pl.num_programs')
if hasattr(pl, 'num_programs'):
  help(pl.num_programs)
print('@@pl.cdiv')
if hasattr(pl, 'cdiv'):
  help(pl.cdiv)
print('@@pl.multiple_of')
if hasattr(pl, 'multiple_of'):
  help(pl.multiple_of)
print('@@pl.kernel')
if hasattr(pl, 'kernel'):
  help(pl.kernel)
print('@@pl.delay')
if hasattr(pl, 'delay'):
  help(pl.delay)
