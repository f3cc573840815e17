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
  let summary = "From here on, each thread of the warpgroup has `n` registers";
  let description = [{
    All threads of the warpgroup execute it. `n` is a multiple of 8 from 24 to 256. With `increase` the warpgroup waits
    until the block's other warpgroups have released enough registers; without it, it releases some. PTX ISA,
    `setmaxnreg`.

    ```mlir
    "lanescope.set_max_registers"() <{n = 40 : i32}> : () -> ()
    "lanescope.set_max_registers"() <{increase, n = 232 : i32}> : () -> ()
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<24>, IntMaxValue<256>]>:$n, UnitAttr:$increase);
}

//===------------------------------------ clusters ----------------------------------------------------------------===//

def Lanescope_ClusterIdOp : Launch_Op<"cluster_id", [Pure]> {
  let summary = "The cluster's place in the grid of clusters; `dim` 0 is x";
  let description = [{
    Along a dimension in which the cluster has one block, it is the block's place in the grid. PTX ISA, `%clusterid`,
    `%ctaid`.

    ```mlir
    %cluster = "lanescope.cluster_id"() <{dim = 0 : i32}> : () -> i32
    ```
  }];
  let arguments = (ins Dim3:$dim);
  let results = (outs I32:$id);
}

def Lanescope_BlockInClusterOp : Launch_Op<"block_in_cluster", [Pure]> {
  let summary = "The block's place in its cluster; `dim` 0 is x";
  let description = [{
    It is the constant 0 along a dimension in which the cluster has one block. PTX ISA, `%cluster_ctaid`.

    ```mlir
    %x = "lanescope.block_in_cluster"() <{dim = 0 : i32}> : () -> i32
    ```
  }];
  let arguments = (ins Dim3:$dim);
  let results = (outs I32:$id);
}

def Lanescope_InitializeClusterBarrierOp : Launch_Op<"initialize_cluster_barrier"> {
  let summary = "Initialises `num_barriers` barriers in a row, at which warpgroups of several blocks arrive";
  let description = [{
    One elected thread of the block initialises mbarriers of 8 bytes each, one after the other from `base_pointer` on.
    `collective` lists groups of the cluster's dimensions 0, 1 and 2. Blocks that differ only in the dimensions of one
    group arrive at each other's barriers. So a phase takes `arrival_count` times (the sum of the groups' numbers of
    blocks - the number of groups + 1) arrivals, of one thread each; an mbarrier counts at most 2^20 - 1. PTX ISA,
    `mbarrier.init`.

    ```mlir
    "lanescope.initialize_cluster_barrier"(%first) <{arrival_count = 1 : i64, collective = [array<i64: 0>],
        num_barriers = 1 : i32}> : (!llvm.ptr<3>) -> ()
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$base_pointer, ConfinedAttr<I64Attr, [IntPositive]>:$arrival_count,
                       ConfinedAttr<I32Attr, [IntPositive]>:$num_barriers, ArrayAttr:$collective);
}

def Lanescope_ClusterArriveOp : Launch_Op<"cluster_arrive"> {
  let summary = "The warpgroup arrives once at the barriers of all blocks of its groups";
  let description = [{
    A barrier of the warpgroup comes first. Then a thread for each block that differs from this one only in the
    dimensions of one group of `collective` arrives at that block's barrier, this block's own included. The arrival
    releases at the scope of the cluster: a thread that waits there with `lanescope.cluster_scope` sees what the
    warpgroup did before. With `leader_tracked`, which takes one dimension, one thread arrives, at the barrier of the
    first block along it. PTX ISA, `mapa`, `mbarrier.arrive`.

    ```mlir
    "lanescope.cluster_arrive"(%barrier) <{collective = [array<i64: 0>]}>
      : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
  let arguments = (ins OneBarrier:$barrier, ArrayAttr:$collective, UnitAttr:$leader_tracked);
}

//===------------------------------------ barriers ----------------------------------------------------------------===//

def Lanescope_BarrierTestOp : Launch_Op<"barrier_test"> {
  let summary = "True if the barrier's phase with this parity has completed";
  let description = [{
    It does not wait for the phase. Threads may see its end at different times, so the warpgroup (in warp-level code,
    the warp) agrees: the result is true if all of them see it. A true result acquires as `mosaic_gpu.wait` does, with
    the same attribute `lanescope.cluster_scope`. PTX ISA, `mbarrier.test_wait`, `barrier` (`barrier.cta.red`),
    `vote.sync`.

    ```mlir
    %completed = "lanescope.barrier_test"(%barrier, %parity)
      : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> i1
    ```
  }];
  let arguments = (ins OneBarrier:$barrier, I1:$parity);
  let results = (outs I1:$completed);
}

//===------------------------------------ semaphores --------------------------------------------------------------===//

def Lanescope_SemaphoreSignalOp : Launch_Op<"semaphore_signal"> {
  let summary = "Adds `value` to a semaphore in global memory";
  let description = [{
    A barrier of the warpgroup comes first; then one elected thread adds to element `index` of `semaphores`, an array of
    i32. The addition releases: a thread that waits for the semaphore sees what the warpgroup did before. With `system`
    this holds on other devices, too. With `relaxed` there is no barrier and no order: a `lanescope.release_fence`
    before it gives the order, once for several signals. Semaphores of a `multicast_ref` are signalled on every device.
    PTX ISA, `red`, `multimem.red`.

    ```mlir
    "lanescope.semaphore_signal"(%semaphores, %index, %value) <{system}> : (memref<1xi32>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$semaphores, I32:$index, I32:$value, UnitAttr:$system, UnitAttr:$relaxed);
}

def Lanescope_SemaphoreWaitOp : Launch_Op<"semaphore_wait"> {
  let summary = "Waits until a semaphore is at least `value`; with `decrement` takes `value` from it";
  let description = [{
    One elected thread reads element `index` of `semaphores` again and again until it is at least `value`; numbers have
    no sign. With `decrement` it also takes `value` away, in the same atomic step. The read acquires, with `system` also
    what other devices did before their signals. A barrier of the warpgroup comes last. PTX ISA, `ld`, `atom`,
    `barrier`.

    ```mlir
    "lanescope.semaphore_wait"(%semaphores, %index, %value) <{decrement, system}> : (memref<1xi32>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$semaphores, I32:$index, I32:$value, UnitAttr:$decrement, UnitAttr:$system);
}

def Lanescope_SemaphoreReadOp : Launch_Op<"semaphore_read"> {
  let summary = "A semaphore's count, the same for all threads of the warpgroup";
  let description = [{
    One elected thread reads element `index` of `semaphores`; the read acquires, with `system` also from other devices.
    The thread passes the count on in `scratch`, which has a word of shared memory for each warpgroup, between two
    barriers of the warpgroup. PTX ISA, `ld`, `barrier`.

    ```mlir
    %count = "lanescope.semaphore_read"(%semaphores, %index, %scratch)
      : (memref<1xi32>, i32, memref<2xi32, #gpu.address_space<workgroup>>) -> i32
    ```
  }];
  let arguments = (ins AnyMemRef:$semaphores, I32:$index, AnyMemRef:$scratch, UnitAttr:$system);
  let results = (outs I32:$count);
}

//===------------------------------------ copies by threads -------------------------------------------------------===//

def Lanescope_CpAsyncOp : Launch_Op<"cp_async", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy from a slice of global to shared memory that the threads issue piece by piece";
  let description = [{
    A barrier of the warpgroup comes first, because its threads may still read `destination`; copies that directly
    follow each other share one. The slice is that of
    `indices` and `slice_lengths`, as in `mosaic_gpu.async_load`. It is cut along its last dimension into pieces of 16,
    8 or 4 bytes that are contiguous on both sides; thread p % 128 copies piece p. With a barrier each thread arrives
    there when its pieces are in place, which together is one arrival of the warpgroup. Without a barrier the copy is a
    group for `lanescope.wait_cp_async`. Rows that begin at multiples of less than 4 bytes are an error. With
    `fills_zeros` the slice may reach over the array's end, and zeros fill what is outside, as TMA does it; with
    `fills_nan`, which needs a barrier, the NaN that TMA writes. With `predicate` false nothing is copied or filled, and
    the threads arrive. PTX ISA, `cp.async`, `cp.async.mbarrier.arrive`, `cp.async.commit_group`.

    ```mlir
    "lanescope.cp_async"(%source, %destination, %row, %column)
      <{operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, slice_lengths = array<i64: 64, 64>}>
      : (memref<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, Optional<OneBarrier>:$barrier, Variadic<I32>:$indices,
                       Optional<I1>:$predicate, DenseI64ArrayAttr:$slice_lengths, UnitAttr:$fills_zeros,
                       UnitAttr:$fills_nan);
}

def Lanescope_WaitCpAsyncOp : Launch_Op<"wait_cp_async"> {
  let summary = "Waits until at most `n` groups of `cp_async` are pending";
  let description = [{
    Each thread waits for its own pieces; a barrier of the warpgroup follows, so that the pieces of all threads are in
    place. PTX ISA, `cp.async.wait_group`, `barrier`.

    ```mlir
    "lanescope.wait_cp_async"() <{n = 0 : i32}> : () -> ()
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$n);
}

#endif
