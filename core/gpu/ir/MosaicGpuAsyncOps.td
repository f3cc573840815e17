// Operations of the `mosaic_gpu` dialect around copies and clusters that few files use: prefetches, references to
// another block's shared memory.
#ifndef LANESCOPE_CORE_IR_MOSAICGPUASYNCOPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUASYNCOPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_AsyncOp<string mnemonic, list<Trait> traits = []> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

def MosaicGpu_AsyncPrefetchOp : MosaicGpu_AsyncOp<"async_prefetch", [AttrSizedOperandSegments]> {
  let summary = "Brings a slice of global memory into the L2 cache";
  let description = "Slice as in async_load. PTX ISA, `cp.async.bulk.prefetch.tensor`.";
  let arguments = (ins AnyMemRef:$source, Variadic<I32>:$indices, Optional<I1>:$predicate,
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

#endif
