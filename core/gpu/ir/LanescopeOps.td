// The `lanescope` dialect: warpgroup-level operations for what JAX writes as per-thread code. They keep per-thread code
// out of kernels; only core/gpu/lowering emits it.
#ifndef LANESCOPE_CORE_IR_LANESCOPEOPS_TD
#define LANESCOPE_CORE_IR_LANESCOPEOPS_TD

include "core/gpu/ir/LanescopeDialect.td"

def Lanescope_InitDoneOp : Lanescope_Op<"init_done"> {
  let summary = "All barriers of the block are initialised";
  let description = [{
    All threads of the block execute it, after the operations that initialise barriers and before the first use of one.
    A fence makes the initialisation visible to the other blocks and to asynchronous copies. In a cluster of several
    blocks a barrier of the cluster follows, because other blocks may signal as soon as they start. A barrier of the
    block comes last. PTX ISA, `fence` (`fence.mbarrier_init`), `barrier.cluster`, `barrier`.

    ```mlir
    lanescope.init_done
    ```
  }];
}

def Lanescope_CommitSmemOp : Lanescope_Op<"commit_smem"> {
  let summary = "The warpgroup's writes to shared memory become visible to asynchronous copies";
  let description = [{
    All threads of the warpgroup execute a proxy fence, then meet at a barrier of the warpgroup. A copy that one of them
    starts afterwards reads what all of them wrote. PTX ISA, `fence` (`fence.proxy.async`), `barrier`.

    ```mlir
    lanescope.commit_smem
    ```
  }];
}

def Lanescope_CommitGroupOp : Lanescope_Op<"commit_group"> {
  let summary = "Closes the group of asynchronous stores started so far";
  let description = [{
    Each thread has its own groups, so all threads of the warpgroup execute it; those that started no store close an
    empty group. `lanescope.wait_smem_to_gmem` counts the groups. PTX ISA, `cp.async.bulk.commit_group`.

    ```mlir
    lanescope.commit_group
    ```
  }];
}

def Lanescope_WaitSmemToGmemOp : Lanescope_Op<"wait_smem_to_gmem"> {
  let summary = "Waits until at most `n` groups of asynchronous stores are pending";
  let description = [{
    Each thread waits until at most `n` of its latest groups are pending; then the threads meet at a barrier of the
    warpgroup. Without `read_only` the stores have written their destinations. With `read_only` they have read their
    sources, which may then be overwritten, but the destinations may not be written yet. PTX ISA,
    `cp.async.bulk.wait_group`, `barrier`.

    ```mlir
    lanescope.wait_smem_to_gmem {n = 1 : i32, read_only}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$n, UnitAttr:$read_only);
}

def Lanescope_WgmmaCommitOp : Lanescope_Op<"wgmma_commit"> {
  let summary = "Closes the group of tensor-core operations started so far";
  let description = [{
    All threads of the warpgroup execute it. `lanescope.wgmma_wait` counts the groups. On targets without `wgmma` it
    does nothing. PTX ISA, `wgmma.commit_group`.

    ```mlir
    lanescope.wgmma_commit
    ```
  }];
}

def Lanescope_WgmmaWaitOp : Lanescope_Op<"wgmma_wait"> {
  let summary = "Waits until at most `n` groups of tensor-core operations are pending, and passes accumulators on";
  let description = [{
    All threads of the warpgroup wait until at most `n` of the latest groups are pending. An accumulator whose group has
    been waited for is read from the result, never from the operand: so no use of it can move before the wait. The
    results have the types of the operands. On targets without `wgmma` the values are passed on at once. PTX ISA,
    `wgmma.wait_group`.

    ```mlir
    %sum = lanescope.wgmma_wait 0(%accumulator : vector<64x128xf32>) -> vector<64x128xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$n, Variadic<AnyVectorOfAnyRank>:$accumulators);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$values);
  let assemblyFormat = "$n (`(` $accumulators^ `:` type($accumulators) `)`)? attr-dict (`->` type($values)^)?";
  let hasVerifier = 1;
  let layoutRules = [{
    rules.equalPairs();
  }];
}

def Lanescope_WaitLoadTmemOp : Lanescope_Op<"wait_load_tmem"> {
  let summary = "The warpgroup's loads of tensor memory are complete: it may be written";
  let description = [{
    All threads of the warpgroup wait for their loads, then meet at a barrier of the warpgroup with fences for the
    tensor core on both sides. Afterwards any thread of it, and the products that one of them starts, may write what was
    read. It needs sm_100a. PTX ISA, `tcgen05.wait`, `tcgen05.fence`, `barrier`.

    ```mlir
    lanescope.wait_load_tmem
    ```
  }];
}

def Lanescope_CommitTmemOp : Lanescope_Op<"commit_tmem"> {
  let summary = "The warpgroup's stores to tensor memory are complete: any thread of it, and its products, see them";
  let description = [{
    All threads of the warpgroup wait for their stores, then meet at a barrier of the warpgroup with fences for the
    tensor core on both sides. It needs sm_100a. PTX ISA, `tcgen05.wait`, `tcgen05.fence`, `barrier`.

    ```mlir
    lanescope.commit_tmem
    ```
  }];
}

def Lanescope_Tcgen05ShiftOp : Lanescope_Op<"tcgen05_shift"> {
  let summary = "Starts to move each row of tensor memory, but the last of 32, up by one";
  let description = [{
    One elected thread starts it. The rows are those of the 32 bytes from the reference's start on. With `collective` it
    concerns both blocks of a pair. It needs sm_100a. PTX ISA, `tcgen05.shift`.

    ```mlir
    lanescope.tcgen05_shift %ref {collective} : memref<128x64xf32, #mosaic_gpu.tmem>
    ```
  }];
  let arguments = (ins AnyMemRef:$ref, UnitAttr:$collective);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
  let layoutRules = [{
    rules.any(getRefMutable());
  }];
}

def Lanescope_RegionBeginOp : Lanescope_Op<"region_begin"> {
  let summary = "A named region of the trace begins; nothing when the kernel is not profiled";
  let description = [{
    If the kernel is profiled, the first thread of the warpgroup records the name and the clock in shared memory, as
    long as there is room; the end of the kernel copies the records to global memory. Otherwise the operation does
    nothing. `lanescope.region_end` with the same name ends the region. PTX ISA, `%clock`.

    ```mlir
    lanescope.region_begin "sums"
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict";
}

def Lanescope_RegionEndOp : Lanescope_Op<"region_end"> {
  let summary = "The named region ends";
  let description = [{
    Records the name and the clock as `lanescope.region_begin` does, with the mark of an end. PTX ISA, `%clock`.

    ```mlir
    lanescope.region_end "sums"
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict";
}

def Lanescope_WarpgroupIdOp : Lanescope_Op<"warpgroup_id", [Pure]> {
  let summary = "The warpgroup's number in its block, the same for all of its threads";
  let description = [{
    The number is that of the thread divided by 128. A shuffle makes it known to the compiler that it is the same in the
    whole warp. PTX ISA, `%tid`, `shfl.sync`.

    ```mlir
    %warpgroup = lanescope.warpgroup_id
    ```
  }];
  let results = (outs I32:$id);
}

def Lanescope_ProgramIdOp : Lanescope_Op<"program_id", [Pure]> {
  let summary = "The block's place in the grid; `dim` 0 is x, the fastest";
  let description = [{
    The number counts blocks, also in a grid of clusters. PTX ISA, `%ctaid`.

    ```mlir
    %row = lanescope.program_id {dim = 2 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$dim);
  let results = (outs I32:$id);
}

#endif
