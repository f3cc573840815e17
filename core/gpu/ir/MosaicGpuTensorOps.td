// Operations of the `mosaic_gpu` dialect on Blackwell's tensor memory and tensor cores, and on clusters that have not
// begun. PTX ISA, "TensorCore 5th Generation Family Instructions" and "Cluster Launch Control".
#ifndef LANESCOPE_CORE_IR_MOSAICGPUTENSOROPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUTENSOROPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_TensorOp<string mnemonic, list<Trait> traits = []> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

defvar OneTensorBarrier = MemRefRankOf<[MosaicGpu_Barrier], [0]>;
defvar Tensor = MemRefRankOf<[AnyType], [2]>;
defvar CollectiveAttr = DefaultValuedAttr<BoolAttr, "false">;

//===------------------------------------ allocation --------------------------------------------------------------===//

def MosaicGpu_TmemAllocOp : MosaicGpu_TensorOp<"tmem_alloc"> {
  let summary = "Allocates columns of tensor memory for the block, or for both blocks of a pair";
  let description = [{
    The first warp of the block allocates, and the hardware writes the address to `smem_ptr`. All threads read it there,
    after a barrier of the block. With `collective` both blocks of a pair allocate. The result has two dimensions: rows,
    and columns of elements. `packing` elements share a cell of 32 bits: 1, or as many as fill it. The number of columns
    is rounded up to a power of two, 32 at least; a block has 512. The operation stands outside of warp-level code and
    needs sm_100a. PTX ISA, `tcgen05.alloc`.

    ```mlir
    %ref = mosaic_gpu.tmem_alloc smem_ptr(%pointer : memref<i32, #gpu.address_space<workgroup>>)
      -> memref<128x96xi32, #mosaic_gpu.tmem>
    %packed = mosaic_gpu.tmem_alloc smem_ptr(%pointer : memref<i32, #gpu.address_space<workgroup>>)
      {collective = true, packing = 2 : i32} -> memref<128x96xf16, #mosaic_gpu.tmem>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I32], [0]>:$smem_ptr, CollectiveAttr:$collective,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$packing);
  let results = (outs Tensor:$result);
  let assemblyFormat = "`smem_ptr` `(` $smem_ptr `:` type($smem_ptr) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
  let layoutRules = [{
    auto own = catalogue::tmemDefault(getPacking());
    if (own && getPacking() != 1)
      rules.oneOf(getResult(), {*own}, "an allocation");
    else
      rules.any(getResult());
  }];
}

def MosaicGpu_TmemRelinquishAllocPermitOp : MosaicGpu_TensorOp<"tmem_relinquish_alloc_permit"> {
  let summary = "The block gives up its right to allocate tensor memory";
  let description = [{
    The first warp of the block executes it. The block allocates no more tensor memory afterwards; other blocks of the
    multiprocessor may. `collective` is that of the block's allocations. PTX ISA, `tcgen05.relinquish_alloc_permit`.

    ```mlir
    "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
    ```
  }];
  let arguments = (ins CollectiveAttr:$collective);
}

def MosaicGpu_TmemDeallocOp : MosaicGpu_TensorOp<"tmem_dealloc"> {
  let summary = "Frees an allocation of tensor memory";
  let description = [{
    A barrier of the block comes first, and for a pair a barrier of the cluster, so that no thread uses the memory any
    more. Then the first warp of the block frees as many columns as were allocated. `tmem_ref` is the result of a
    `tmem_alloc`. PTX ISA, `tcgen05.dealloc`.

    ```mlir
    mosaic_gpu.tmem_dealloc tmem_ref(%ref : memref<128x96xi32, #mosaic_gpu.tmem>)
    ```
  }];
  let arguments = (ins Tensor:$tmem_ref);
  let assemblyFormat = "`tmem_ref` `(` $tmem_ref `:` type($tmem_ref) `)` attr-dict";
  let hasVerifier = 1;
}

//===------------------------------------ references --------------------------------------------------------------===//

def MosaicGpu_SliceTmemOp : MosaicGpu_TensorOp<"slice_tmem", [Pure]> {
  let summary = "The columns of an allocation from `offset` on, as a reference of any type and layout";
  let description = [{
    `offset` counts columns of 32 bits and is a multiple of 4. The columns that the result needs lie within the
    allocation. `alias_id` identifies slices that may share their columns. It has no PTX of its own: the operations that
    use the result add the offset to the address.

    ```mlir
    %slice = "mosaic_gpu.slice_tmem"(%ref) <{alias_id = 1 : i64, offset = 32 : i32}>
      : (memref<128x96xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    ```
  }];
  let arguments = (ins Tensor:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$offset,
                       OptionalAttr<AliasAttr>:$alias_id);
  let results = (outs Tensor:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.any(getSourceMutable());
    rules.any(getResult());
  }];
}

def MosaicGpu_TmemLayoutCastOp : MosaicGpu_TensorOp<"tmem_layout_cast", [SameOperandsAndResultType, Pure]> {
  let summary = "States where the elements of a reference to tensor memory lie";
  let description = [{
    The layout says in which lane and column of tensor memory each element lies. It fits the shape and the element type.
    Nothing moves. It has no PTX of its own: it only informs layout inference.

    ```mlir
    %cast = "mosaic_gpu.tmem_layout_cast"(%ref) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]],
        warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
      : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    ```
  }];
  let arguments = (ins Tensor:$ref, MosaicGpu_TiledLayout:$new_layout);
  let results = (outs Tensor:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.equal({getRefMutable(), getResult()});
    rules.oneOf(getResult(), {*toTmemLayout(getNewLayout())}, "the result of `tmem_layout_cast`");
  }];
}

//===------------------------------------ loads, stores and copies ------------------------------------------------===//

def MosaicGpu_AsyncLoadTmemOp : MosaicGpu_TensorOp<"async_load_tmem", [MemoryEffects<[MemRead]>]> {
  let summary = "Starts to read a whole reference into an array; with `reduce` also each row's smallest or largest";
  let description = [{
    All four warps of the warpgroup load, each from its quarter of the lanes. The array has the reference's shape and
    element type, and may be used at once. `lanescope.wait_load_tmem` orders the loads before later stores to the same
    memory. With `reduce` the second result has the smallest or largest element of each row; the elements are f32 or
    i32, and `absmin` and `absmax` of i32 compare unsigned numbers. Such loads need sm_103a. PTX ISA, `tcgen05.ld`.

    ```mlir
    %array = "mosaic_gpu.async_load_tmem"(%source) : (memref<128x64xf32, #mosaic_gpu.tmem>) -> vector<128x64xf32>
    %all, %reduced = "mosaic_gpu.async_load_tmem"(%source) <{reduce = 3 : i32}>
      : (memref<128x64xf32, #mosaic_gpu.tmem>) -> (vector<128x64xf32>, vector<128xf32>)
    ```
  }];
  let arguments = (ins Tensor:$source, OptionalAttr<MosaicGpu_TmemLoadReduction>:$reduce);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result, Optional<AnyFixedVectorOfNonZeroRank>:$reduced);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
    rules.tensorTransfer(getResult(), getSourceMutable());
    if (getReduced()) {
      rules.oneOf(getResult(), {*catalogue::tmemNative(2)}, "the array of a load that reduces rows");
      rules.notSplat(getReduced());
      rules.reduction(getResult(), getReduced(), {getResult().getType().getRank() - 1});
    }
  }];
}

def MosaicGpu_AsyncStoreTmemOp : MosaicGpu_TensorOp<"async_store_tmem", [MemoryEffects<[MemWrite]>]> {
  let summary = "Starts to write an array to a whole reference; done after `lanescope.commit_tmem`";
  let description = [{
    All four warps of the warpgroup store, each to its quarter of the lanes. The array has the reference's shape and
    element type. `lanescope.commit_tmem` waits for the stores and orders them before later products. PTX ISA,
    `tcgen05.st`.

    ```mlir
    "mosaic_gpu.async_store_tmem"(%array, %destination)
      : (vector<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
    ```
  }];
  let arguments = (ins VectorOfRank<[2]>:$value, Tensor:$destination);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.tensorTransfer(getValueMutable(), getDestinationMutable());
  }];
}

class MosaicGpu_CopyToTmemOp<string mnemonic, list<Type> elements, int rank> : MosaicGpu_TensorOp<mnemonic> {
  let arguments = (ins MemRefRankOf<elements, [rank]>:$source, MemRefRankOf<elements, [2]>:$destination,
                       CollectiveAttr:$collective);
  let hasVerifier = 1;
}

def MosaicGpu_AsyncStoreSmemToTmemOp : MosaicGpu_CopyToTmemOp<"async_store_smem_to_tmem", [AnyType], 2> {
  let summary = "Starts a copy from shared to tensor memory, in order with the tensor core's products";
  let description = [{
    One elected thread starts the copy; the tensor core runs it before the products that the same thread starts later.
    Both references have one shape, with 128 rows, and one element type. The source is stored in tiles of 8 rows, as
    wide as its swizzle. With `collective` the copy is one of a pair of blocks. `tcgen05_commit_arrive` reports its end.
    PTX ISA, `tcgen05.cp`.

    ```mlir
    "mosaic_gpu.async_store_smem_to_tmem"(%source, %destination) <{collective = false}>
      : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
    ```
  }];
  let layoutRules = [{
    int bits = static_cast<int>(::mlir::cast<::mlir::MemRefType>(getDestination().getType()).getElementTypeBitWidth());
    if (bits <= layouts::kTmemCellBits)
      if (auto own = catalogue::tmemDefault(layouts::kTmemCellBits / bits))
        rules.oneOf(getDestinationMutable(), {*own}, "the destination of a copy from shared memory");
  }];
}

def MosaicGpu_AsyncStoreScalesSmemToTmemOp
    : MosaicGpu_CopyToTmemOp<"async_store_scales_smem_to_tmem", [F8E8M0FNU, F8E4M3FN], 4> {
  let summary = "Starts a copy of block scales from shared to tensor memory, where each quarter has all of them";
  let description = [{
    As `async_store_smem_to_tmem`, for the scales of `tcgen05_mma`. The destination has a multiple of 128 rows, at most
    256, and of 4 columns. Scales of (M, N) are stored contiguously as (M / 128, N / 4, 32, 16), or, for a right operand
    in a pair of blocks with 64 rows each, as (1, N / 4, 64, 16). PTX ISA, `tcgen05.cp`.

    ```mlir
    "mosaic_gpu.async_store_scales_smem_to_tmem"(%source, %destination) <{collective = true}>
      : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
    ```
  }];
  let layoutRules = [{
    rules.oneOf(getDestinationMutable(), {catalogue::scales(), catalogue::bScalesM64Collective()}, "block scales");
  }];
}

def MosaicGpu_AsyncStoreSparseMetadataSmemToTmemOp
    : MosaicGpu_CopyToTmemOp<"async_store_sparse_metadata_smem_to_tmem", [I<2>], 4> {
  let summary = "Starts a copy of sparsity metadata from shared to tensor memory";
  let description = [{
    As `async_store_smem_to_tmem`, for the metadata of a sparse left operand of `tcgen05_mma`: two bits for each element
    that is stored, or for each pair of 4-bit elements. The destination has 128 rows and a multiple of 64 columns.
    Metadata of (M, N) are stored contiguously as (M / 128, N / 64, 128, 64). PTX ISA, `tcgen05.cp`.

    ```mlir
    "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%source, %destination) <{collective = false}>
      : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    ```
  }];
  let layoutRules = [{
    rules.oneOf(getDestinationMutable(), {catalogue::sparseMeta()}, "sparsity metadata");
  }];
}

//===------------------------------------ products ----------------------------------------------------------------===//

defvar Tcgen05Factors = [F16, F32, BF16, TF32, F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN, I8];
defvar Tcgen05Scales = [F8E8M0FNU, F8E4M3FN];

def MosaicGpu_Tcgen05MMAOp : MosaicGpu_TensorOp<"tcgen05_mma", [AttrSizedOperandSegments]> {
  let summary = "Starts accumulator + a @ b (without `accumulate`: a @ b) on the tensor core";
  let description = [{
    One elected thread starts the products, (M, N) + (M, K) @ (K, N). The accumulator is in tensor memory, `a` in shared
    or tensor memory, `b` in shared memory. With scales, which both factors have or neither, each block of K is
    multiplied by its own scale. With metadata `a` is sparse and stores half of the elements of K. With `collective` two
    blocks multiply together: each has its rows of `a` and of the accumulator, and its half of the columns of `b`.
    `lanescope.unsigned_a` and `lanescope.unsigned_b` say that integers are unsigned. The sum is there when a barrier
    of `tcgen05_commit_arrive` has completed. PTX ISA, `tcgen05.mma`.

    ```mlir
    "mosaic_gpu.tcgen05_mma"(%sum, %a, %b, %accumulate)
      <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
      : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>,
         memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
    ```
  }];
  let arguments = (ins MemRefRankOf<[F16, F32, I32], [2]>:$accumulator, MemRefRankOf<Tcgen05Factors, [2]>:$a,
                       MemRefRankOf<Tcgen05Factors, [2]>:$b, I1:$accumulate,
                       Optional<MemRefRankOf<Tcgen05Scales, [2]>>:$a_scale,
                       Optional<MemRefRankOf<Tcgen05Scales, [2]>>:$b_scale,
                       Optional<MemRefRankOf<[I<2>], [2]>>:$a_sparse_metadata, CollectiveAttr:$collective);
  let hasVerifier = 1;
  let layoutRules = [{
    tensorProductRules(*this, rules);
  }];
}

def MosaicGpu_Tcgen05CommitArriveOp : MosaicGpu_TensorOp<"tcgen05_commit_arrive"> {
  let summary = "The barrier gets an arrival when earlier work of the tensor core has completed";
  let description = [{
    One elected thread executes it. The work is the products and copies that this thread has started on the tensor core
    so far. The barrier orders the tensor core. With `collective` the barriers at that place in both blocks of the pair
    get an arrival. PTX ISA, `tcgen05.commit`.

    ```mlir
    "mosaic_gpu.tcgen05_commit_arrive"(%barrier) <{collective = false}>
      : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
  let arguments = (ins OneTensorBarrier:$barrier, CollectiveAttr:$collective);
}

//===------------------------------------ cluster launch control --------------------------------------------------===//

def MosaicGpu_TryClusterCancelOp : MosaicGpu_TensorOp<"try_cluster_cancel"> {
  let summary = "Asks for a cluster that has not begun";
  let description = [{
    One elected thread of the cluster's first block asks, if `predicate` is true, after a proxy fence: the warpgroups
    have then read the previous answer. The answer has 16 bytes, begins at a multiple of 16 bytes of shared memory, and
    arrives in every block of the cluster. There `barrier` counts the bytes. The operation needs sm_100a. PTX ISA,
    `clusterlaunchcontrol.try_cancel`.

    ```mlir
    "mosaic_gpu.try_cluster_cancel"(%answer, %barrier, %predicate)
      : (memref<16xi8, #gpu.address_space<workgroup>>,
         memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>, i1) -> ()
    ```
  }];
  let arguments = (ins MemRefRankOf<[I8], [1]>:$result, OneTensorBarrier:$barrier, Optional<I1>:$predicate);
  let hasVerifier = 1;
}

def MosaicGpu_QueryClusterCancelOp : MosaicGpu_TensorOp<"query_cluster_cancel"> {
  let summary = "Reads the answer to a `try_cluster_cancel`";
  let description = [{
    Every thread of the warpgroup reads the 16 bytes, after a wait at the barrier that counts them. `success` is true if
    a cluster was taken over; (`x`, `y`, `z`) is then the place of its first block in the grid, and (0, 0, 0) otherwise.
    A proxy fence follows, so that the next answer may overwrite this one. PTX ISA,
    `clusterlaunchcontrol.query_cancel`.

    ```mlir
    %x, %y, %z, %success = "mosaic_gpu.query_cluster_cancel"(%answer)
      : (memref<16xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
    ```
  }];
  let arguments = (ins MemRefRankOf<[I8], [1]>:$result);
  let results = (outs I32:$x, I32:$y, I32:$z, I1:$success);
  let hasVerifier = 1;
}

#endif
