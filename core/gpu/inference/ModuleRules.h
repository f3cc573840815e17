// Collects the rules of a whole module, and checks that no operation on arrays lacks one.
#pragma once

#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/Operation.h"

namespace lanescope::core {

layouts::Shape shapeOf(mlir::Value array);
/// Bits of an element.
int bitwidthOf(mlir::Value array);
/// Shape and element bits of a reference to tensor memory; elements without a width fill a cell.
layouts::Shape tensorShape(mlir::Value tensor);
int tensorBits(mlir::Value tensor);

struct ModuleRules {
  LayoutRules rules;               // in program order; those of an outer operation before those of its regions
  std::vector<mlir::Value> arrays; // results and arguments that have register layouts, in the same order

  const std::vector<LayoutRules::Entry> &entries() const { return rules.entries(); }
};

/// Collects the rules of every operation under `root`. Error at each operation without a rule that uses or defines an
/// array, or a reference to shared or tensor memory.
mlir::FailureOr<ModuleRules> collectRules(mlir::Operation *root);

/// The two sites of a Reshaped or Part rule; the one that the operation defines comes first.
std::pair<LayoutSite, LayoutSite> endsOf(const LayoutRule &derived);

} // namespace lanescope::core
