// The rules of a whole module, and the check that nothing in it is without one.
#pragma once

#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/Operation.h"

namespace lanescope::core {

layouts::Shape shapeOf(mlir::Value array);
/// Bits of an element.
int bitwidthOf(mlir::Value array);
/// The same of references to tensor memory; elements without a width fill a cell.
layouts::Shape tensorShape(mlir::Value tensor);
int tensorBits(mlir::Value tensor);

struct ModuleRules {
  LayoutRules rules;               // operations from the outside in, in program order
  std::vector<mlir::Value> arrays; // results and arguments that have register layouts, in the same order

  const std::vector<LayoutRules::Entry> &entries() const { return rules.entries(); }
};

/// Asks every operation under `root`. Error at each operation that uses or defines an array, or gives a reference in
/// shared or tensor memory, without a rule about it.
mlir::FailureOr<ModuleRules> collectRules(mlir::Operation *root);

/// The two ends of a Reshaped or a Part: first the one that the operation defines.
std::pair<LayoutSite, LayoutSite> endsOf(const LayoutRule &derived);

} // namespace lanescope::core
