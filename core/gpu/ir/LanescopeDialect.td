// The `lanescope` dialect itself. Its operations are in LanescopeOps.td and in a file for each family.
#ifndef LANESCOPE_CORE_IR_LANESCOPEDIALECT_TD
#define LANESCOPE_CORE_IR_LANESCOPEDIALECT_TD

include "core/gpu/ir/LayoutRules.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lanescope_Dialect : Dialect {
  let name = "lanescope";
  let summary = "Statements of a warpgroup beside mosaic_gpu's";
  let cppNamespace = "::lanescope::core::statements";
}

class Lanescope_Op<string mnemonic, list<Trait> traits = []> : RuledOp<Lanescope_Dialect, mnemonic, traits> {
  let assemblyFormat = "attr-dict";
}

#endif
