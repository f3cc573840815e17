// The tables of JAX's and Pallas' modules: which of their names are builtins of the language, which are put together in
// it (python/*.py).
#include "repl/kernel/pallas/Pallas.h"

#include "layouts/support/Try.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/pallas/MutableArray.h"
#include "repl/lang/modules/Libraries.h"
#include "repl/lang/modules/Trees.h"

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// Says once in a session what `jax.jit` is here.
Builtin jitNote(std::shared_ptr<bool> said) {
  return {"_note_jit", "_note_jit()", "", [said](C &context, const A &) -> R {
            if (!std::exchange(*said, true))
              context.evaluator.remark({Severity::Note,
                                        "jit",
                                        context.evaluator.snippetPlace(context.span),
                                        "`jax.jit` changes nothing here: functions run as they stand, and kernels are "
                                        "compiled when they are called",
                                        {}});
            return Value();
          }};
}

/// Whether the kernel being traced is a SparseCore's.
Builtin onSubcore() {
  return {"_on_subcore", "_on_subcore()", "", [](C &context, const A &) -> R {
            return Value(context.evaluator.staging() && !dynamic_cast<GpuTracer *>(context.evaluator.staging()));
          }};
}

/// Whether a kernel is being traced.
Builtin inKernel() {
  return {"_in_kernel", "_in_kernel()", "",
          [](C &context, const A &) -> R { return Value(context.evaluator.staging() != nullptr); }};
}

/// A builtin under a name that a library does not hide.
Builtin native(std::string name, std::string builtin) {
  return {name, name + "(*arguments, **named)", "", [builtin](C &context, const A &args) -> R {
            Arguments all{args.rest(), args.keywords()};
            return context.evaluator.call(*context.evaluator.builtin(builtin), all, args.call);
          }};
}

std::vector<Builtin> with(Builtins table, Builtins more) {
  table.insert(table.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return table;
}

/// A namespace that holds constants of the language.
ModuleSpec names(std::string path, std::string doc, std::string_view spellings) {
  return {.path = std::move(path), .doc = std::move(doc), .spellings = {{.names = spellings}}};
}

/// `ACC(shape, dtype)` and `ACC.init(value)`.
ModuleSpec accumulator(std::string path) {
  return {.path = std::move(path),
          .doc = "An accumulator of `wgmma`, in registers.",
          .natives = {native("_accumulator", "ACC")},
          .text = libraryText("mosaic_gpu.ACC"),
          .callable = "ACC"};
}

} // namespace

std::vector<ModuleSpec> pallasModules(std::shared_ptr<KernelRuntime> runtime, PallasTracing tracing) {
  const std::string pallas = "jax.experimental.pallas", gpu = pallas + ".mosaic_gpu", sc = pallas + ".tpu_sc";
  constexpr std::string_view kBlocks = "BlockSpec Squeezed Blocked Element Buffered";
  constexpr std::string_view kSemaphores = "semaphore_signal semaphore_wait semaphore_read";
  auto shards = std::make_shared<ShardRuns *>(nullptr);
  Builtins trees = treeNatives(), references = mutableArrayNatives();
  const Builtins ofCoreMap(references.end() - 3, references.end());
  std::vector<ModuleSpec> out = {
      {.path = "jax",
       .doc = "JAX: arrays of the host, and the modules of its kernels.",
       .natives = with(with({jitNote(std::make_shared<bool>(false)), inKernel()}, std::move(references)),
                       shardMapNatives(shards)),
       .text = libraryText("jax"),
       .more = libraryText("jax.more")},
      {.path = "jax.debug",
       .doc = "Printing values, on the host and in kernels.",
       .natives = {inKernel(), native("_debug_print", "debug_print"), native("_print", "print")},
       .text = libraryText("jax.debug")},
      {.path = "jax.ops", .doc = "Sums and extremes of segments.", .text = libraryText("jax.ops")},
      {.path = "jax.scipy", .doc = "What JAX has of SciPy: `special`."},
      {.path = "jax.scipy.special",
       .doc = "Functions of statistics.",
       .rules = ArrayRules::Jax,
       .text = libraryText("jax.scipy.special")},
      {.path = "jax.tree", .doc = "Trees: nested tuples, lists and dicts.", .natives = treeModuleNatives()},
      {.path = "jax.tree_util", .doc = "Trees: nested tuples, lists and dicts.", .natives = treeModuleNatives()},
      {.path = "jax.sharding",
       .doc = "Meshes of devices, and how arrays are split over them.",
       .text = libraryText("jax.sharding")},
      {.path = "jax.experimental.mesh_utils",
       .doc = "Devices in the shape of a mesh.",
       .text = libraryText("jax.experimental.mesh_utils")},
      {.path = "jax.experimental.multihost_utils",
       .doc = "Meetings of processes, of which there is one.",
       .text = libraryText("jax.experimental.multihost_utils")},
      {.path = "jax.experimental.shard_map",
       .doc = "`shard_map`, which is `jax.shard_map`.",
       .text = libraryText("jax.experimental.shard_map")},
      {.path = "jax.typing",
       .doc = "Names of types, for annotations.",
       .spellings = {{"Array=object ArrayLike=object DTypeLike=object"}}},
      {.path = "jax.lax",
       .doc = "JAX's functions of arrays, on the host and in kernels, and its loops and branches.",
       .rules = ArrayRules::Jax,
       .spellings = {{.names = "exp exp2 log log2 sin cos tanh sqrt rsqrt erf", .ofFloats = true},
                     {.names = "abs max=maximum min=minimum "
                               "shift_left shift_right_arithmetic clz "
                               "optimization_barrier bitcast_convert_type=bitcast transpose"}},
       .natives =
           with(with(std::move(trees),
                     {onSubcore(), native("_slice", "slice"), native("_shift_right_logical", "shift_right_logical"),
                      native("_subcore_fori_loop", "fori_loop"), native("_div", "div"), native("_rem", "rem"),
                      native("_logistic", "logistic"), native("_broadcast_in_dim", "broadcast_in_dim"),
                      native("_broadcasted_iota", "broadcasted_iota"), inKernel()}),
                shardAxes(shards)),
       .text = libraryText("jax.lax"),
       .more = libraryText("jax.lax.more")},
      {.path = "jax.nn", .doc = "JAX's activations.", .rules = ArrayRules::Jax, .text = libraryText("jax.nn")},
      {.path = "jax._src", .doc = "The few names out of JAX's inside that kernels are written with."},
      {.path = "jax._src.dtypes", .doc = "Widths of elements.", .text = libraryText("jax._src.dtypes")},
      {.path = "jax._src.lib", .doc = "What JAX asks its libraries."},
      {.path = "jax._src.lib.cuda_versions",
       .doc = "Versions of CUDA's libraries.",
       .text = libraryText("jax._src.lib.cuda_versions")},
      {.path = "jax.experimental", .doc = "Pallas: kernels."},
      {.path = "jax.extend", .doc = "What JAX offers to those who extend it."},
      {.path = "jax.extend.backend", .doc = "The default device.", .text = libraryText("jax.extend.backend")},
      {.path = "jax.experimental.mosaic", .doc = "Mosaic: what Pallas' kernels are lowered to."},
      {.path = "jax.experimental.mosaic.gpu", .doc = "Mosaic GPU."},
      {.path = "jax.experimental.mosaic.gpu.profiler",
       .doc = "JAX's timing of kernels.",
       .text = libraryText("jax.experimental.mosaic.gpu.profiler")},
      {.path = pallas,
       .doc = "Pallas: kernels, whatever their target.",
       .spellings = {{kBlocks},
                     {kSemaphores},
                     {"ds dslice=ds run_scoped get_global debug_print multiple_of program_id num_programs"}},
       .natives = with(with(treeNatives(), {onSubcore(), inKernel(), native("_subcore_loop", "loop"),
                                            native("_kernel_load", "load"), native("_kernel_store", "store"),
                                            native("_core_map", "core_map"), subcoreKernelBuiltin(runtime, shards)}),
                       ofCoreMap),
       .text = libraryText("jax.experimental.pallas")},
      {.path = gpu,
       .doc = "Pallas' kernels for NVIDIA's GPUs: Mosaic GPU.",
       .spellings =
           {{kBlocks},
            {"Barrier ClusterBarrier Tiling Replicated TilingTransform SwizzleTransform RefUnion=Union TMEM WarpMesh "
             "TryClusterCancelResult "
             "copy_gmem_to_smem copy_smem_to_gmem async_prefetch wait_smem_to_gmem wait_gmem_to_smem commit_smem "
             "commit_smem_to_gmem_group barrier_arrive barrier_wait barrier_test wgmma wgmma_wait "
             "wgmma_accumulator_deref wgmma_accumulator_load wgmma_accumulator_store mma tcgen05_mma "
             "tcgen05_commit_arrive commit_tmem async_load_tmem async_store_tmem wait_load_tmem "
             "async_copy_smem_to_tmem async_copy_scales_to_tmem async_copy_sparse_metadata_to_tmem "
             "set_max_registers layout_cast load store print_layout broadcasted_iota inline_ptx "
             "atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor emit_pipeline "
             "emit_pipeline_warp_specialized nd_loop planar_snake dynamic_scheduling_loop find_swizzle "
             "semaphore_signal semaphore_wait semaphore_signal_parallel SemaphoreSignal try_cluster_cancel "
             "query_cluster_cancel PipelinePipeline "
             "griddepcontrol_wait griddepcontrol_launch_dependents CopyPartition remote_ref "
             "multicast_ref multimem_store multimem_load_reduce semaphore_signal_multicast"}},
       .natives = {pallasKernelBuiltin(std::move(runtime), std::move(tracing), std::move(shards)),
                   native("_cluster_ref", "cluster_ref"), native("_async_store_smem", "async_store_smem")},
       .text = libraryText("jax.experimental.pallas.mosaic_gpu")},
      accumulator(gpu + ".ACC"),
      accumulator(gpu + ".WGMMAAccumulatorRef"),
      {.path = gpu + ".SMEM",
       .doc = "A buffer in shared memory.",
       .natives = {native("_buffer", "SMEM")},
       .text = libraryText("mosaic_gpu.SMEM"),
       .callable = "SMEM"},
      names(gpu + ".Layout", "Layouts of arrays in registers.",
            "WG_STRIDED WG_SPLAT WGMMA WGMMA_8BIT WGMMA_UPCAST_2X WGMMA_UPCAST_4X WGMMA_TRANSPOSED WGMMA_ROW WGMMA_COL "
            "TCGEN05 TCGEN05_TRANSPOSED TCGEN05_ROW TCGEN05_COL TCGEN05_M64_COLLECTIVE TCGEN05_TMEM_NATIVE "
            "TMA_GATHER_INDICES=TMA_INDICES TMA_INDICES SMEM_GMEM_COPY MMA_LHS MMA_RHS MMA_ACC TILED=TiledLayout"),
      names(gpu + ".TMEMLayout", "Layouts of tensor memory.",
            "SCALES_LAYOUT SPARSE_METADATA_LAYOUT M64_COLLECTIVE_LAYOUT TMEM_DEFAULT"),
      names(gpu + ".MemorySpace", "Where memory is.", "SMEM TMEM"),
      {.path = gpu + ".SemaphoreType",
       .doc = "Semaphores in global memory.",
       .natives = {native("_semaphore", "Semaphore")},
       .text = libraryText("mosaic_gpu.SemaphoreType")},
      {.path = sc,
       .doc = "Pallas' kernels for SparseCores of TPUs.",
       .spellings = {{"kernel=sc_kernel BlockSpec ScalarSubcoreMesh VectorSubcoreMesh PackFormat parallel_loop loop "
                      "subcore_barrier num_lanes load_expanded store_compressed addupdate addupdate_compressed "
                      "load_gather store_scatter addupdate_scatter fetch_and_add cumsum cummax cummin scan_count sort "
                      "sort_key_val all_reduce_population_count all_reduce_ffs pack unpack rev VMEM VMEM_SHARED HBM "
                      "SemaphoreType emit_pipeline async_copy sync_copy make_async_copy"}}},
      {.path = pallas + ".tpu",
       .doc = "What SparseCore kernels use of Pallas' module for TPUs.",
       .spellings = {{"VMEM VMEM_SHARED HBM HOST SemaphoreType async_copy make_async_copy async_remote_copy sync_copy "
                      "emit_pipeline BlockSpec"}}},
  };
  return out;
}

} // namespace lanescope::repl
