// The interface through which operations state their demands on layouts, and the class of operations that write them in
// their own entry.
#ifndef LANESCOPE_CORE_IR_LAYOUTRULES_TD
#define LANESCOPE_CORE_IR_LAYOUTRULES_TD

include "mlir/IR/OpBase.td"

def LayoutRulesOpInterface : OpInterface<"LayoutRulesOpInterface"> {
  let description = [{
    What the operation demands of the layouts of its arrays and of the transforms of its references. Each array that it
    uses or defines is in one rule at least, those of its regions' arguments and terminators among them.
  }];
  let cppNamespace = "::lanescope::core";
  let methods = [
    InterfaceMethod<"Adds the operation's rules.", "void", "layoutRules", (ins "::lanescope::core::LayoutRules &":$rules)>
  ];
}

// `let layoutRules = [{ rules.equal(…); }];` is the body of the interface's method (core/gpu/ir/LayoutRules.h).
class RuledOp<Dialect dialect, string mnemonic, list<Trait> otherTraits> : Op<dialect, mnemonic, otherTraits> {
  code layoutRules = "";
  let traits = otherTraits #
      !if(!empty(layoutRules), []<Trait>, [DeclareOpInterfaceMethods<LayoutRulesOpInterface>]<Trait>);
  let extraClassDefinition = !if(!empty(layoutRules), "",
      "void $cppClass::layoutRules(::lanescope::core::LayoutRules &rules) {" # layoutRules # "}");
}

#endif
