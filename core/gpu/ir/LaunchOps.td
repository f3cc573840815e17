// Operations of the `lanescope` dialect on the launch: registers, clusters, semaphores, copies without TMA.
#ifndef LANESCOPE_CORE_IR_LAUNCHOPS_TD
#define LANESCOPE_CORE_IR_LAUNCHOPS_TD

include "core/gpu/ir/LanescopeDialect.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

class Launch_Op<string mnemonic, list<Trait> traits = []> : RuledOp<Lanescope_Dialect, mnemonic, traits>;

defvar OneBarrier = MemRefRankOf<[MosaicGpu_Barrier], [0]>;
defvar Dim3 = ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>;

def Lanescope_SetMaxRegistersOp : Launch_Op<"set_max_registers"> {
  let summary = "The warpgroup's threads have `n` registers each from here on";
  let description = [{
    With `increase` it waits until the block's other warpgroups have released enough. PTX ISA, `setmaxnreg`.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<24>, IntMaxValue<256>]>:$n, UnitAttr:$increase);
}

//===------------------------------------ clusters ----------------------------------------------------------------===//

def Lanescope_ClusterIdOp : Launch_Op<"cluster_id", [Pure]> {
  let summary = "The cluster's place in the grid of clusters; `dim` 0 is x";
  let arguments = (ins Dim3:$dim);
  let results = (outs I32:$id);
}

def Lanescope_BlockInClusterOp : Launch_Op<"block_in_cluster", [Pure]> {
  let summary = "The block's place in its cluster; `dim` 0 is x";
  let arguments = (ins Dim3:$dim);
  let results = (outs I32:$id);
}

def Lanescope_InitializeClusterBarrierOp : Launch_Op<"initialize_cluster_barrier"> {
  let summary = "Initialises `num_barriers` barriers in a row, at which warpgroups of several blocks arrive";
  let description = [{
    Blocks that differ in one group of `collective` (lists of cluster dimensions) alone arrive at each other's barriers,
    so a phase takes `arrival_count` times (the sum of the groups' sizes - their number + 1) arrivals.
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$base_pointer, ConfinedAttr<I64Attr, [IntPositive]>:$arrival_count,
                       ConfinedAttr<I32Attr, [IntPositive]>:$num_barriers, ArrayAttr:$collective);
}

def Lanescope_ClusterArriveOp : Launch_Op<"cluster_arrive"> {
  let summary = "Arrives once at the barrier of each block whose place differs in only one group of dimensions";
  let description = [{
    With `leader_tracked`, where `collective` is one dimension: at that of its first block alone.
  }];
  let arguments = (ins OneBarrier:$barrier, ArrayAttr:$collective, UnitAttr:$leader_tracked);
}

//===------------------------------------ barriers ----------------------------------------------------------------===//

def Lanescope_BarrierTestOp : Launch_Op<"barrier_test"> {
  let summary = "True if the barrier's phase with this parity has completed; the same for all threads of the warpgroup";
  let arguments = (ins OneBarrier:$barrier, I1:$parity);
  let results = (outs I1:$completed);
}

//===------------------------------------ semaphores --------------------------------------------------------------===//

def Lanescope_SemaphoreSignalOp : Launch_Op<"semaphore_signal"> {
  let summary = "Adds to a semaphore in global memory; a warpgroup that waits for it sees this one's earlier writes";
  let description = [{
    With `system` by who waits on another device, too. `relaxed` orders nothing: a `release_fence` before it does, once
    for several signals. Semaphores of a `multicast_ref` are signalled on every device.
  }];
  let arguments = (ins AnyMemRef:$semaphores, I32:$index, I32:$value, UnitAttr:$system, UnitAttr:$relaxed);
}

def Lanescope_SemaphoreWaitOp : Launch_Op<"semaphore_wait"> {
  let summary = "Waits until a semaphore is at least `value`; with `decrement` takes `value` from it";
  let description = "With `system` the warpgroup also sees what other devices wrote before their signals.";
  let arguments = (ins AnyMemRef:$semaphores, I32:$index, I32:$value, UnitAttr:$decrement, UnitAttr:$system);
}

def Lanescope_SemaphoreReadOp : Launch_Op<"semaphore_read"> {
  let summary = "A semaphore's count, the same for all threads of the warpgroup";
  let description = "One thread reads it and hands it on in `scratch`: a word of shared memory for each warpgroup.";
  let arguments = (ins AnyMemRef:$semaphores, I32:$index, AnyMemRef:$scratch, UnitAttr:$system);
  let results = (outs I32:$count);
}

//===------------------------------------ copies by threads -------------------------------------------------------===//

def Lanescope_CpAsyncOp : Launch_Op<"cp_async", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy from a slice of global to shared memory that the threads issue piece by piece";
  let description = [{
    Slice as in mosaic_gpu.async_load. With a barrier the warpgroup's arrival there happens when the data is in place;
    without one the copy is a group for wait_cp_async. PTX ISA, `cp.async`.
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, Optional<OneBarrier>:$barrier, Variadic<I32>:$indices,
                       DenseI64ArrayAttr:$slice_lengths);
}

def Lanescope_WaitCpAsyncOp : Launch_Op<"wait_cp_async"> {
  let summary = "Waits until at most `n` groups of cp_async are pending, then for the warpgroup";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$n);
}

#endif
