// The operations of the `mosaic_gpu` dialect that our kernels and JAX's dumps use. The threads of one warpgroup execute
// each operation together; a `vector` is an array that a layout spreads over these 128 threads.
#ifndef LANESCOPE_CORE_IR_MOSAICGPUOPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUOPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_Op<string mnemonic, list<Trait> traits = []> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

defvar BarrierRef = MemRefRankOf<[MosaicGpu_Barrier], [0]>;
//===------------------------------------ barriers ----------------------------------------------------------------===//

def MosaicGpu_InitializeBarrierOp : MosaicGpu_Op<"initialize_barrier"> {
  let summary = "Initialises `num_barriers` barriers in a row, each for `arrival_count` arrivals of a warpgroup";
  let description = [{
    One elected thread of the block initialises `num_barriers` mbarriers. They lie one after the other from
    `base_pointer` on, 8 bytes each. `arrival_count` counts arrivals of warpgroups. All 128 threads of a warpgroup
    arrive, so the mbarrier's own count is `arrival_count * 128`. With `orders_tensor_core` one thread arrives for its
    warpgroup, and the mbarrier's own count is `arrival_count`; such barriers need sm_100a. An mbarrier counts at most
    2^20 - 1 arrivals. `lanescope.init_done` makes the barriers known to all threads. PTX ISA, `mbarrier.init`.

    ```mlir
    "mosaic_gpu.initialize_barrier"(%first) <{arrival_count = 1 : i64, num_barriers = 2 : i32,
        orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$base_pointer, ConfinedAttr<I64Attr, [IntPositive]>:$arrival_count,
                       ConfinedAttr<I32Attr, [IntPositive]>:$num_barriers, BoolAttr:$orders_tensor_core);
}

def MosaicGpu_ArriveOp : MosaicGpu_Op<"arrive"> {
  let summary = "The warpgroup arrives at a barrier";
  let description = [{
    Each of the warpgroup's 128 threads arrives once. The arrival releases: a thread that waits for the phase sees what
    the warpgroup did before. At a barrier that orders the tensor core, one elected thread arrives, after
    `tcgen05.fence::before_thread_sync` and a barrier of the warpgroup. In warp-level code, one lane arrives for 128
    threads. In a kernel that reads what copies fill, a proxy fence comes first, so that a copy may overwrite what the
    warpgroup has read. The type of `barrier` decides whether it orders the tensor core; the attribute is JAX's.
    PTX ISA, `mbarrier.arrive`.

    ```mlir
    "mosaic_gpu.arrive"(%barrier) <{orders_tensor_core = false}>
      : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
  let arguments = (ins BarrierRef:$barrier, BoolAttr:$orders_tensor_core);
}

def MosaicGpu_ArriveExpectTxOp : MosaicGpu_Op<"arrive_expect_tx"> {
  let summary = "The warpgroup arrives and adds `expect_tx` bytes to what the phase waits for";
  let description = [{
    The warpgroup arrives as in `arrive`, and the phase also waits for `expect_tx` bytes, which copies complete. The
    bytes are those of the whole warpgroup: each thread expects 1/128 of them, and the first thread also the remainder.
    At a barrier that orders the tensor core, and in warp-level code, one thread expects all of them. PTX ISA,
    `mbarrier.arrive`, `mbarrier.expect_tx`.

    ```mlir
    mosaic_gpu.arrive_expect_tx barrier(%barrier : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %bytes
    ```
  }];
  let arguments = (ins BarrierRef:$barrier, I32:$expect_tx);
  let assemblyFormat = "`barrier` `(` $barrier `:` type($barrier) `)` $expect_tx attr-dict";
}

def MosaicGpu_WaitOp : MosaicGpu_Op<"wait"> {
  let summary = "Blocks the warpgroup until the phase with this parity completes";
  let description = [{
    Each thread of the warpgroup waits until the phase with parity `parity` has completed: all arrivals have come, and
    all expected bytes. The wait acquires: the thread then sees what the arriving threads did before they arrived, and
    the bytes that copies wrote. Arrivals of other blocks need `lanescope.cluster_scope`, which widens the wait to the
    cluster. At a barrier that orders the tensor core, `tcgen05.fence::after_thread_sync` follows. PTX ISA,
    `mbarrier.try_wait`.

    ```mlir
    mosaic_gpu.wait barrier(%barrier : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%parity : i1)
    mosaic_gpu.wait barrier(%shared : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>)
      parity(%parity : i1) {lanescope.cluster_scope}
    ```
  }];
  let arguments = (ins BarrierRef:$barrier, I1:$parity);
  let assemblyFormat = [{
    `barrier` `(` $barrier `:` type($barrier) `)` `parity` `(` $parity `:` type($parity) `)` attr-dict
  }];
}

//===------------------------------------ asynchronous copies -----------------------------------------------------===//

def MosaicGpu_AsyncLoadOp : MosaicGpu_Op<"async_load", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy from a slice of global memory to shared memory; `barrier` counts its bytes";
  let description = [{
    One elected thread starts the copy, after a barrier of the warpgroup, because other threads may still read
    `destination`. The copy runs on; a wait at `barrier` shows that the data is there.

    The slice starts at `indices` and is `slice_lengths` long. The length -1 means one element of a dimension that
    `destination` does not have. A vector as index selects the rows one by one; a copy has at most one, as long as its
    slice (sm_100a). With `predicate` false nothing is copied. `gmem_peer_id` is the device whose memory is read.
    `oob_fill_mode` says what is written for elements outside of the array; with `lanescope.nan_fill` it is NaN, for
    floats of 16 bits or more.

    `collective` lists dimensions of the cluster, each once: the blocks along them get the same data, and each of them
    loads a part. With `leader_tracked`, for two blocks on sm_100a, only the barrier of the first block counts the
    bytes, for both. `copy_partitioned` also gives each of the two half of a dimension of the slice (counted among the
    dimensions that `destination` has). Both references have the same element type. PTX ISA, `cp.async.bulk.tensor`; for
    a contiguous slice `cp.async.bulk`.

    ```mlir
    "mosaic_gpu.async_load"(%source, %destination, %barrier, %row, %column) <{collective = [], oob_fill_mode = 2 : i32,
        operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}>
      : (memref<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>,
         memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, BarrierRef:$barrier, Variadic<CopyIndex>:$indices,
                       OptionalAttr<AnyAttr>:$leader_tracked, Optional<I1>:$predicate, Optional<I32>:$gmem_peer_id,
                       DenseI64ArrayAttr:$slice_lengths,
                       TypedArrayAttrBase<MosaicGpu_Dimension, "cluster dimensions">:$collective,
                       DefaultValuedAttr<MosaicGpu_OobFillMode, "OobFillMode::Zeros">:$oob_fill_mode);
  let hasVerifier = 1;
  let layoutRules = [{
    for (mlir::OpOperand &index : getIndicesMutable())
      rules.oneOf(index, {catalogue::tmaIndices(), catalogue::tmaIndices4()}, "the array that chooses rows");
  }];
}

def MosaicGpu_AsyncStoreOp : MosaicGpu_Op<"async_store", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy from shared memory to a slice of global memory, tracked by bulk groups";
  let description = [{
    One elected thread starts the copy; `indices`, `slice_lengths` and `predicate` mean what they mean in `async_load`.
    The copy reads shared memory as an asynchronous access: `lanescope.commit_smem` makes the warpgroup's stores visible
    to it. All threads then close the group of copies, unless `commit_group` is false;
    `lanescope.wait_smem_to_gmem` waits for groups. With `reduction_op` the data is combined with what global memory
    holds. `gmem_peer_id` is the device whose memory is written. With `is_global_broadcast` all devices' memory is
    written. At most one of the two is given. PTX ISA, `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`,
    `cp.async.bulk.commit_group`.

    ```mlir
    "mosaic_gpu.async_store"(%source, %destination, %row, %column) <{commit_group = true, is_global_broadcast = false,
        operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}>
      : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<256x64xf16>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, Variadic<CopyIndex>:$indices,
                       Optional<I1>:$predicate, Optional<I32>:$gmem_peer_id, DenseI64ArrayAttr:$slice_lengths,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$commit_group,
                       OptionalAttr<MosaicGpu_TmaReduction>:$reduction_op,
                       DefaultValuedAttr<BoolAttr, "false">:$is_global_broadcast);
  let hasVerifier = 1;
  let layoutRules = [{
    for (mlir::OpOperand &index : getIndicesMutable())
      rules.oneOf(index, {catalogue::tmaIndices(), catalogue::tmaIndices4()}, "the array that chooses rows");
  }];
}

//===------------------------------------ loads and stores --------------------------------------------------------===//

def MosaicGpu_VectorLoadOp : MosaicGpu_Op<"vector_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a whole reference into an array";
  let description = [{
    Each thread loads the elements that the array's layout gives it; layout inference chooses the layout. The array has
    the reference's shape and element type. From shared memory a barrier of the warpgroup comes first if its threads may
    have stored there since the last one. `optimized = true` demands a plan without bank conflicts; `false` accepts
    conflicts, and without the attribute a note reports them. `eviction_policy`, for global memory, is "evict_first" or
    "evict_last": how the L2 cache treats the data. PTX ISA, `ld`, `ldmatrix`, `createpolicy`.

    ```mlir
    %array = "mosaic_gpu.vector_load"(%source) <{optimized = false}>
      : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> vector<128x64xf16>
    ```
  }];
  let arguments = (ins AnyNon0RankedMemRef:$source, OptionalAttr<BoolAttr>:$optimized,
                       OptionalAttr<StrAttr>:$eviction_policy);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
    rules.transfer(getResult(), getSource());
  }];
}

def MosaicGpu_VectorStoreOp : MosaicGpu_Op<"vector_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes an array to a whole reference";
  let description = [{
    Each thread stores the elements that it holds; of several warps that hold the same elements, the first stores them.
    The array has the reference's shape and element type. To shared memory a barrier of the warpgroup comes first, so
    that all threads have read the old values. `optimized` means what it means in `vector_load`. With `atomic_type` each
    element is combined with the old value instead. With `multimem` the array is stored to the memory of all devices;
    the reference is then in global memory. PTX ISA, `st`, `stmatrix`, `red`, `multimem.st`, `multimem.red`.

    ```mlir
    "mosaic_gpu.vector_store"(%array, %destination) <{multimem = false}>
      : (vector<64x64xf16>, memref<64x64xf16>) -> ()
    "mosaic_gpu.vector_store"(%array, %sums) <{atomic_type = 0 : i32, multimem = false}>
      : (vector<64x64xf16>, memref<64x64xf16>) -> ()
    ```
  }];
  let arguments = (ins AnyFixedVectorOfNonZeroRank:$value, AnyNon0RankedMemRef:$destination,
                       OptionalAttr<BoolAttr>:$optimized, OptionalAttr<MosaicGpu_AtomicOp>:$atomic_type,
                       DefaultValuedAttr<BoolAttr, "false">:$multimem);
  let hasVerifier = 1;
  let layoutRules = [{
    if (getAtomicType())
      rules.any(getValueMutable()); // each element is transferred by itself
    else
      rules.transfer(getValueMutable(), getDestination());
  }];
}

def MosaicGpu_SliceSmemOp : MosaicGpu_Op<"slice_smem", [Pure]> {
  let summary = "The block's dynamic shared memory from byte `offset` on, as a reference";
  let description = [{
    The result begins at byte `offset` of the block's dynamic shared memory, in row-major order unless it gets
    transforms. The offset is a multiple of the element's size. `alias_id` identifies allocations that may share their
    bytes. It has no PTX of its own: the operations that use the result compute its address.

    ```mlir
    %slice = "mosaic_gpu.slice_smem"() <{alias_id = 7 : i64, offset = 1024 : i32}>
      : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$offset, OptionalAttr<AliasAttr>:$alias_id);
  let results = (outs AnyMemRef:$result);
  let layoutRules = [{
    rules.transforms(getResult(), {});
  }];
}

def MosaicGpu_ReinterpretCastOp : MosaicGpu_Op<"reinterpret_cast", [Pure]> {
  let summary = "The same bytes as a reference of another shape; the result's type says all";
  let description = [{
    Source and result have the same element type, static shapes, and the same number of elements. Casts of casts fold
    into one, and a cast of a `slice_smem` into a `slice_smem`. It has no PTX of its own: it changes the type.

    ```mlir
    %matrix = "mosaic_gpu.reinterpret_cast"(%row)
      : (memref<128xf32, #gpu.address_space<workgroup>>) -> memref<8x16xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def MosaicGpu_WithTransformsOp : MosaicGpu_Op<"with_transforms", [SameOperandsAndResultType, Pure]> {
  let summary = "Fixes the transforms (tile, swizzle) of a shared-memory reference";
  let description = [{
    States how the reference's elements lie in shared memory: the trailing dimensions in tiles, and 16-byte units
    permuted by a swizzle. Without the operation, layout inference chooses. A tile divides the dimensions that it tiles.
    Swizzled memory begins at a multiple of eight times the swizzle in bytes. It has no PTX of its own: accesses to the
    result compute other addresses.

    ```mlir
    %tiled = "mosaic_gpu.with_transforms"(%ref)
      <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}>
      : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins AnyMemRef:$ref, ArrayAttr:$transforms);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.transforms(getResult(), *toTransforms(getTransforms()));
  }];
}

//===------------------------------------ arrays ------------------------------------------------------------------===//

def MosaicGpu_LayoutCastOp : MosaicGpu_Op<"layout_cast", [SameOperandsAndResultType, Pure]> {
  let summary = "The same array in another layout";
  let description = [{
    The elements move between the registers of the warpgroup's threads until they lie as `new_layout` says. Only some
    pairs of layouts convert; layouts/cost/RelayoutTable.h lists them. An equal layout costs nothing. A layout that the
    shape does not fit is an error. PTX ISA, `shfl.sync`, `prmt`.

    ```mlir
    %cast = mosaic_gpu.layout_cast x(%array : vector<128x64xf16>) {new_layout = #mosaic_gpu.TiledLayout<
      [[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$x,
                       AnyAttrOf<[MosaicGpu_WGStridedFragLayout, MosaicGpu_TiledLayout]>:$new_layout);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`x` `(` $x `:` type($x) `)` attr-dict";
  let layoutRules = [{
    rules.relayout(getXMutable(), getResult());
    rules.oneOf(getResult(), {*toLayout(getNewLayout())}, "the result of `layout_cast`");
  }];
}

def MosaicGpu_BroadcastInDimOp : MosaicGpu_Op<"broadcast_in_dim", [Pure]> {
  let summary = "Repeats an array along new dimensions; dimension i of the operand becomes broadcast_dimensions[i]";
  let description = [{
    `broadcast_dimensions` has one entry for each dimension of the operand, and increases. The operand's dimension has
    the size of the result's dimension, or 1. Each thread repeats elements that it holds already; the layouts are chosen
    so that it holds them. The element type stays. It has no PTX of its own: registers are used several times.

    ```mlir
    %matrix = mosaic_gpu.broadcast_in_dim(%row : vector<64xf32>) {broadcast_dimensions = array<i64: 0>}
      -> vector<64x8xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`(` $operand `:` type($operand) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
  let layoutRules = [{
    rules.broadcast(getOperandMutable(), getResult(), getBroadcastDimensions());
  }];
}

def MosaicGpu_BroadcastedIotaOp : MosaicGpu_Op<"broadcasted_iota", [Pure]> {
  let summary = "0, 1, 2, … along `dimension`, constant along the others";
  let description = [{
    Element (i, j, …) of the result is its index along `dimension`. Each thread computes the numbers of its elements
    from its place in the layout. The elements are integers or floats. It has no PTX of its own: it is arithmetic on the
    thread's number.

    ```mlir
    %columns = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x8xi32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$dimension);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
  }];
}

def MosaicGpu_VectorConcatOp : MosaicGpu_Op<"vector_concat", [Pure]> {
  let summary = "Arrays one after the other along `dimension`";
  let description = [{
    The arrays have one rank and element type, and the same sizes in all dimensions but `dimension`, where the result
    has the sum of their sizes. Each thread keeps its elements. It has no PTX of its own: the result consists of the
    operands' registers.

    ```mlir
    %joined = mosaic_gpu.vector_concat(%left, %right : vector<64x64xf32>, vector<64x128xf32>) {dimension = 1 : i32}
      -> vector<64x192xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyFixedVectorOfNonZeroRank>:$sources,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$dimension);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let assemblyFormat = "`(` $sources `:` type($sources) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
  let layoutRules = [{
    for (mlir::OpOperand &source : getSourcesMutable())
      rules.part(getResult(), source, /*leading=*/getDimension() == 0);
  }];
}

def MosaicGpu_OptimizationBarrierOp : MosaicGpu_Op<"optimization_barrier"> {
  let summary = "Passes values on; nothing moves across it";
  let description = [{
    The results are the operands, with their types. The compiler moves no access to memory across the operation. It
    takes at least one value. It has no PTX of its own: it is an empty statement of inline PTX.

    ```mlir
    %same = "mosaic_gpu.optimization_barrier"(%value) : (vector<64x8xf32>) -> vector<64x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$values);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.equalPairs();
  }];
}

//===------------------------------------ tensor cores ------------------------------------------------------------===//

def MosaicGpu_WGMMAOp : MosaicGpu_Op<"wgmma"> {
  let summary = "Starts accumulator + a @ b on the warpgroup's tensor cores";
  let description = [{
    The four warps of the warpgroup together start the products that make up `accumulator + a @ b`: (M, N) + (M, K) @
    (K, N). `a` is in shared memory or in registers, `b` in shared memory, the sum in registers. M is a multiple of 64.
    The factors have one element type, or are two 8-bit floats. The result may be used after `lanescope.wgmma_commit`
    and `lanescope.wgmma_wait`; `wgmma.fence` is part of the operation. `lanescope.unsigned_a` and
    `lanescope.unsigned_b` say that integers are unsigned. The instruction is sm_90a's. PTX ISA, `wgmma.mma_async`.

    ```mlir
    %sum = mosaic_gpu.wgmma accumulator(%acc : vector<128x64xf32>)
      a(%a : memref<128x64xbf16, #gpu.address_space<workgroup>>)
      b(%b : memref<64x64xbf16, #gpu.address_space<workgroup>>) -> vector<128x64xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [F16, F32, I32]>:$accumulator,
    AnyTypeOf<[MemRefRankOf<[F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8], [2]>,
               VectorOfRankAndType<[2], [F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8]>]>:$a,
    MemRefRankOf<[F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8], [2]>:$b);
  let results = (outs VectorOfRankAndType<[2], [F16, F32, I32]>:$result);
  let assemblyFormat = [{
    `accumulator` `(` $accumulator `:` type($accumulator) `)` `a` `(` $a `:` type($a) `)`
    `b` `(` $b `:` type($b) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let layoutRules = [{
    unsigned bits = mlir::getElementTypeOrSelf(getA().getType()).getIntOrFloatBitWidth();
    rules.oneOf(getResult(), {catalogue::wgmma()}, "the accumulator of `wgmma`");
    rules.equal({getResult(), getAccumulatorMutable()});
    rules.oneOf(getAMutable(), {catalogue::wgmmaLeft(bits)}, "the left operand of `wgmma`");
  }];
}

defvar MmaSums = [F64, F32, F16, I32];
defvar MmaFactors = [F64, TF32, F32, F16, BF16, F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN, I8, I<4>, I1];
defvar MmaScales = [F8E8M0FNU, F8E4M3FN];

def MosaicGpu_MMAOp : MosaicGpu_Op<"mma", [Pure]> {
  let summary = "accumulator + a @ b by the warps, each on its tiles of 16 x 8; everything in registers";
  let description = [{
    Each warp multiplies its own tiles: (M, N) + (M, K) @ (K, N), by instructions with 16 rows and 8 columns, and K in
    steps of 256 bits. All three arrays are in registers, in layouts that the element type decides. `lanescope.m_warps`
    (1, 2 or 4; 4 without it) says how many warps share the rows; the others share the columns. `lanescope.unsigned_a`
    and `lanescope.unsigned_b` say that integers are unsigned. The result may be used at once. PTX ISA, `mma.sync`.

    Floats of 8, 6 and 4 bits also have block scales (sm_120a): none, or those of `a`, (M, K / block), and of `b`,
    (N, K / block). The block is 32 with scales of f8E8M0FNU; for 4-bit floats on both sides, also 16 with f8E4M3FN.
    A 6-bit float takes a byte of its register, as does an f4E2M1FN beside a wider float or without scales. JAX's
    operation has no scales.

    ```mlir
    %sum = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x16xbf16>) b(%b : vector<16x64xbf16>)
      -> vector<64x64xf32>
    %scaled = mosaic_gpu.mma accumulator(%sum : vector<64x64xf32>) a(%c : vector<64x128xf4E2M1FN>)
      b(%d : vector<128x64xf4E2M1FN>) scales(%s, %t : vector<64x8xf8E4M3FN>, vector<64x8xf8E4M3FN>)
      -> vector<64x64xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], MmaSums>:$accumulator, VectorOfRankAndType<[2], MmaFactors>:$a,
    VectorOfRankAndType<[2], MmaFactors>:$b, Variadic<VectorOfRankAndType<[2], MmaScales>>:$scales);
  let results = (outs VectorOfRankAndType<[2], MmaSums>:$result);
  let assemblyFormat = [{
    `accumulator` `(` $accumulator `:` type($accumulator) `)` `a` `(` $a `:` type($a) `)`
    `b` `(` $b `:` type($b) `)` (`scales` `(` $scales^ `:` type($scales) `)`)? attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasScales() { return !getScales().empty(); }
    ::mlir::Value getAScale() { return getScales()[0]; }
    ::mlir::Value getBScale() { return getScales()[1]; }
    /// The bits of an element of a and b in the layouts of their registers.
    int elementBits();
    /// The number of warps along the rows; the four warps of the warpgroup are split between rows and columns.
    int rowWarps() {
      auto warps = getOperation()->getAttrOfType<::mlir::IntegerAttr>("lanescope.m_warps");
      return warps ? static_cast<int>(warps.getInt()) : 4;
    }
  }];
  let layoutRules = [{
    rules.equal({getResult(), getAccumulatorMutable()});
    auto own = catalogue::mmaLayouts(elementBits(), rowWarps());
    if (!own)
      return;
    rules.oneOf(getResult(), {own->acc}, "the accumulator of `mma`");
    rules.oneOf(getAMutable(), {own->lhs}, "the left operand of `mma`");
    rules.oneOf(getBMutable(), {own->rhs}, "the right operand of `mma`");
    if (!hasScales())
      return;
    auto shapeOf = [](mlir::Value scales) { return mlir::cast<mlir::VectorType>(scales.getType()).getShape().vec(); };
    if (auto left = catalogue::mmaLhsScale(shapeOf(getAScale()), rowWarps()))
      rules.oneOf(getScalesMutable()[0], {left->layout}, "the left scales of `mma`");
    if (auto right = catalogue::mmaRhsScale(shapeOf(getBScale()), rowWarps()))
      rules.oneOf(getScalesMutable()[1], {right->layout}, "the right scales of `mma`");
  }];
}

//===------------------------------------ looking inside ----------------------------------------------------------===//

def MosaicGpu_DebugPrintOp : MosaicGpu_Op<"debug_print"> {
  let summary = "Prints values from inside the kernel; each `{}` of `format` is one value";
  let description = [{
    The first thread of the warpgroup (in warp-level code, the first lane) prints scalars. For an array, each thread
    prints one line for each element that it holds, with the element's coordinates. An array is the only value, and has
    at most 8192 elements. JAX has exactly one array here; we also take scalars, and several. It has no PTX of its own:
    it is a call of `vprintf`.

    ```mlir
    "mosaic_gpu.debug_print"(%count) <{format = "count: {}"}> : (i32) -> ()
    ```
  }];
  let arguments = (ins StrAttr:$format,
                       Variadic<AnyTypeOf<[AnyVectorOfAnyRank, AnySignlessIntegerOrIndex, AnyFloat]>>:$values);
  let layoutRules = [{
    rules.anyAll();
  }];
}

def MosaicGpu_PrintLayoutOp : MosaicGpu_Op<"print_layout"> {
  let summary = "Reports, while compiling, the layout of an array or the transforms of a reference";
  let description = [{
    The compiler writes a remark with the layout in JAX's syntax; `{}` in `format` is the place for it. Nothing happens
    when the kernel runs. It has no PTX of its own: it is removed.

    ```mlir
    "mosaic_gpu.print_layout"(%array) <{format = "w: {}"}> : (vector<128x64xf16>) -> ()
    ```
  }];
  let arguments = (ins StrAttr:$format, AnyTypeOf<[AnyMemRef, AnyVectorOfAnyRank]>:$value);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.any(getValueMutable());
  }];
}

#endif
