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
  let description = "Slice as in async_load. PTX ISA, `cp.async.bulk.prefetch.tensor`.";
  let arguments = (ins AnyMemRef:$source, Variadic<CopyIndex>:$indices, Optional<I1>:$predicate,
                       DenseI64ArrayAttr:$slice_lengths,
                       TypedArrayAttrBase<MosaicGpu_Dimension, "cluster dimensions">:$collective);
  let hasVerifier = 1;
}

def MosaicGpu_GetClusterRefOp : MosaicGpu_AsyncOp<"get_cluster_ref", [AttrSizedOperandSegments]> {
  let summary = "The same place in the shared memory of another block of the cluster";
  let description = "A dimension without an index keeps this block's own. PTX ISA, `mapa`.";
  let arguments = (ins AnyMemRef:$source, Optional<I32>:$x, Optional<I32>:$y, Optional<I32>:$z);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
}

def MosaicGpu_AsyncStoreSmemOp : MosaicGpu_AsyncOp<"async_store_smem", [MemoryEffects<[MemWrite]>]> {
  let summary = "Sends an array to the shared memory of the block at `cluster_idx` along `cluster_dim`";
  let description = [{
    `destination` and `barrier` are this block's; those at the same places there are meant. With `atomic_type` the array
    is combined with what is there. PTX ISA, `st.async`, `red.async`.
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
  let description = "PTX ISA, `multimem.ld_reduce`.";
  let arguments = (ins AnyNon0RankedMemRef:$source, MosaicGpu_MultimemReduction:$reduction_type);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
  }];
}

def MosaicGpu_AssumeMultipleOp : MosaicGpu_AsyncOp<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "The same number, which is known to be a multiple of `multiple`";
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, ConfinedAttr<I32Attr, [IntPositive]>:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
}

def MosaicGpu_ArriveDynExpectTxSupportedOp : MosaicGpu_AsyncOp<"arrive_dyn_expect_tx_supported"> {
  let summary = "No operation: JAX looks for its name in the dialect to learn whether `arrive_expect_tx` takes a value";
}

#endif
