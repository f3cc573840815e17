// Operations of the `mosaic_gpu` dialect that few files use: prefetches, other blocks' shared memory, several devices,
// hints.
#ifndef LANESCOPE_CORE_IR_MOSAICGPUASYNCOPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUASYNCOPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_AsyncOp<string mnemonic, list<Trait> traits = []> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

def MosaicGpu_AsyncPrefetchOp : MosaicGpu_AsyncOp<"async_prefetch", [AttrSizedOperandSegments]> {
  let summary = "Brings a slice of global memory into the L2 cache";
  let description = [{
    One elected thread starts the prefetch, if `predicate` is true; nothing waits for it. `indices`, `slice_lengths` and
    `collective` mean what they mean in `async_load`, but no array chooses rows. PTX ISA,
    `cp.async.bulk.prefetch.tensor`.

    ```mlir
    "mosaic_gpu.async_prefetch"(%source, %row, %column) <{collective = [], operandSegmentSizes = array<i32: 1, 2, 0>,
        slice_lengths = array<i64: 64, 64>}> : (memref<128x64xf16>, i32, i32) -> ()
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<CopyIndex>:$indices, Optional<I1>:$predicate,
                       DenseI64ArrayAttr:$slice_lengths,
                       TypedArrayAttrBase<MosaicGpu_Dimension, "cluster dimensions">:$collective);
  let hasVerifier = 1;
}

def MosaicGpu_GetClusterRefOp : MosaicGpu_AsyncOp<"get_cluster_ref", [AttrSizedOperandSegments]> {
  let summary = "The same place in the shared memory of another block of the cluster";
  let description = [{
    The block is the one at (`x`, `y`, `z`) of the cluster; a dimension without an index keeps this block's own. The
    result's type is that of `source` with the memory space `#mosaic_gpu.smem_cluster`. PTX ISA, `mapa`.

    ```mlir
    %there = "mosaic_gpu.get_cluster_ref"(%here, %x) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (memref<64x64xf16, #gpu.address_space<workgroup>>, i32) -> memref<64x64xf16, #mosaic_gpu.smem_cluster>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Optional<I32>:$x, Optional<I32>:$y, Optional<I32>:$z);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def MosaicGpu_AsyncStoreSmemOp : MosaicGpu_AsyncOp<"async_store_smem", [MemoryEffects<[MemWrite]>]> {
  let summary = "Sends an array to the shared memory of the block at `cluster_idx` along `cluster_dim`";
  let description = [{
    All threads of the warpgroup send the elements that they hold, and arrive at the barrier there; it also counts the
    bytes. `destination` and `barrier` are this block's: the operation uses those at the same places of the other block.
    The array has the destination's shape and element type, a layout in which each element is in one thread, and a
    multiple of 128 bytes; a thread sends 4, 8 or 16 bytes at a time. With `atomic_type` 32-bit integers are combined
    with the old values instead. The barrier does not order the tensor core. PTX ISA, `st.async`, `red.async`,
    `mbarrier.arrive`.

    ```mlir
    "mosaic_gpu.async_store_smem"(%array, %destination, %barrier, %index) <{cluster_dim = 0 : i32}>
      : (vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>,
         memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
    ```
  }];
  let arguments = (ins AnyFixedVectorOfNonZeroRank:$value, AnyNon0RankedMemRef:$destination,
                       AnyTypeOf<[MosaicGpu_Barrier, MemRefRankOf<[MosaicGpu_Barrier], [0]>]>:$barrier,
                       MosaicGpu_Dimension:$cluster_dim, I32:$cluster_idx,
                       OptionalAttr<MosaicGpu_AtomicOp>:$atomic_type, OptionalAttr<BoolAttr>:$optimized);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.transfer(getValueMutable(), getDestination());
  }];
}

def MosaicGpu_MultimemLoadReduceOp : MosaicGpu_AsyncOp<"multimem_load_reduce", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a reference on every device of the mesh, and combines what they hold";
  let description = [{
    Each thread loads the elements that the array's layout gives it; the multicast object over all devices combines the
    values. Integers have 32 or 64 bits, and their minimum and maximum say whether they have a sign. Floats are f32,
    f16, bf16, f8E4M3FN or f8E5M2; they are added, or (not f32) their minimum or maximum is taken. 8-bit floats need
    sm_100a. A thread loads multiples of 4 bytes. PTX ISA, `multimem.ld_reduce`.

    ```mlir
    %sum = "mosaic_gpu.multimem_load_reduce"(%source) <{reduction_type = 0 : i32}>
      : (memref<64x64xf16>) -> vector<64x64xf16>
    ```
  }];
  let arguments = (ins AnyNon0RankedMemRef:$source, MosaicGpu_MultimemReduction:$reduction_type);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
  }];
}

def MosaicGpu_AssumeMultipleOp : MosaicGpu_AsyncOp<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "The same number, with the promise that it is a multiple of `multiple`";
  let description = [{
    The promise is not checked; copies that need an alignment rely on it. `multiple` is positive. It has no PTX of its
    own: the result is the operand.

    ```mlir
    %aligned = mosaic_gpu.assume_multiple %offset, 16 : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, ConfinedAttr<I32Attr, [IntPositive]>:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
}

def MosaicGpu_ArriveDynExpectTxSupportedOp : MosaicGpu_AsyncOp<"arrive_dyn_expect_tx_supported"> {
  let summary = "No operation: JAX looks for its name in the dialect to learn whether `arrive_expect_tx` takes a value";
  let description = [{
    JAX looks for the operation in the dialect to know whether `arrive_expect_tx` takes a value. No kernel contains it,
    and there is no lowering. It is internal and has no PTX of its own.

    ```mlir
    "mosaic_gpu.arrive_dyn_expect_tx_supported"() : () -> ()
    ```
  }];
}

#endif
