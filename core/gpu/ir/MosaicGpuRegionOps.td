// Operations of the `mosaic_gpu` dialect with a region, from JAX's dumps: code that each warp runs on its own, and
// per-thread code between arrays whose layouts it states. Our kernels write the former as `lanescope.warps`.
#ifndef LANESCOPE_CORE_IR_MOSAICGPUREGIONOPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUREGIONOPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_RegionOp<string mnemonic, list<Trait> traits> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

def MosaicGpu_WarpMapOp : MosaicGpu_RegionOp<"warp_map", [IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "Each of the warpgroup's four warps runs the body by itself, on these scalars and references";
  let arguments = (ins Variadic<AnyType>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let layoutRules = [{
    for (auto [operand, argument] : llvm::zip_equal(getOperandsMutable(), getBody().front().getArguments()))
      rules.equal({operand, ::mlir::Value(argument)});
  }];
}

def MosaicGpu_CustomPrimitiveOp : MosaicGpu_RegionOp<"custom_primitive", [IsolatedFromAbove, SingleBlock]> {
  let summary = "Per-thread code on arrays in the layouts, and references with the transforms, that it states";
  let arguments = (ins Variadic<AnyType>:$operands, ArrayAttr:$in_layouts, ArrayAttr:$in_transforms,
                       ArrayAttr:$out_layouts);
  let results = (outs Variadic<AnyType>:$values);
  let regions = (region AnyRegion:$body);
  let hasVerifier = 1;
  let layoutRules = [{
    customPrimitiveRules(*this, rules);
  }];
}

def MosaicGpu_ReturnOp : MosaicGpu_RegionOp<"return", [Pure, Terminator, ReturnLike, HasParent<"CustomPrimitiveOp">]> {
  let summary = "What a `custom_primitive` gives";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

#endif
