// Operations of the `mosaic_gpu` dialect with a region, from JAX's dumps: `warp_map` has code that each warp runs on
// its own; our kernels write this as `lanescope.warps`. `custom_primitive` has per-thread code, and states the layouts
// of the arrays that enter and leave it.
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
  let summary = "Each of the warpgroup's four warps runs the body by itself";
  let description = [{
    The body sees the operands as its arguments and nothing else from outside. They are scalars and references, because
    arrays belong to the warpgroup. Modules from JAX have the operation; our kernels have `lanescope.warps`, to which it
    is rewritten. It has no PTX of its own: it decides which threads run the body.

    ```mlir
    "mosaic_gpu.warp_map"(%pointer) ({
    ^bb0(%inside: memref<i32, #gpu.address_space<workgroup>>):
      lanescope.init_done
    }) : (memref<i32, #gpu.address_space<workgroup>>) -> ()
    ```
  }];
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
  let summary = "Runs per-thread code on the registers of arrays";
  let description = [{
    The body is the code of one thread, and sees the operands as its arguments. `in_layouts` has the layout of each
    array, `in_transforms` the transforms of each reference in shared memory, `out_layouts` the layout of each array
    among the results. The results are numbers and arrays. A `mosaic_gpu.return` ends the body. The operation comes from
    JAX's `inline_mgpu`. It has no PTX of its own: the body is compiled as it is.

    ```mlir
    %result = "mosaic_gpu.custom_primitive"(%pointer, %array) <{
        in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>], in_transforms = [[]],
        out_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>]}> ({
    ^bb0(%reference: memref<i32, #gpu.address_space<workgroup>>, %registers: vector<64x8xf32>):
      mosaic_gpu.return %registers : vector<64x8xf32>
    }) : (memref<i32, #gpu.address_space<workgroup>>, vector<64x8xf32>) -> vector<64x8xf32>
    ```
  }];
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
  let summary = "Ends the body of a `custom_primitive` and gives its results";
  let description = [{
    The operands have the types of the results of the `custom_primitive` around it. It has no PTX of its own.

    ```mlir
    %result = "mosaic_gpu.custom_primitive"(%number) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
    ^bb0(%inside: i32):
      mosaic_gpu.return %inside : i32
    }) : (i32) -> i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

#endif
