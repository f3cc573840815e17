// Transforms of shared memory that no `with_transforms` states, chosen as JAX chooses them.
//
//   OpenTransforms open(module);
//   open.chooseForOperands();                 the operand of a `wgmma`: tiles of (8, 64), swizzle 128
//   … arrays get their layouts: what is read from tiled memory depends on it …
//   open.chooseForArrays(rules, layoutAt);    what WGMMA arrays are stored to: the widest tiles that slices allow
//
// The system is that of JAX's modules (demands/), of references alone. What products and tensor memory's copies read
// has to have tiles, and it is an error where no tiles do for all that is done with the memory. Arrays are moved to and
// from any memory by our lowering: for them tiles are a matter of bank conflicts, and are left where they do not fit.
// All else stays row by row. Source: JAX, jax/experimental/mosaic/gpu/layout_inference.py.
#pragma once

#include "core/gpu/inference/constraints/System.h"
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/inference/Transforms.h"

namespace lanescope::core {

class OpenTransforms {
public:
  explicit OpenTransforms(mlir::ModuleOp module);

  /// Errors, at their operations: what contradicts what.
  mlir::LogicalResult chooseForOperands();
  /// `layoutAt`: of the array at one end of a transfer. Whether anything more was chosen.
  bool chooseForArrays(const LayoutRules &rules,
                       llvm::function_ref<layouts::RegisterLayout(const LayoutSite &)> layoutAt);

  /// Those with a tile or a swizzle.
  const ChosenTransforms &chosen() const { return chosen_; }

private:
  void keep(const constraints::Assignments &assignments);

  mlir::ModuleOp module_;
  llvm::SmallVector<mlir::Value> slices_; // without stated transforms
  Derivation derivation_{Derivation::Scope::Part};
  constraints::System system_; // completed, with what was chosen for operands
  constraints::Target target_;
  ChosenTransforms chosen_;
};

} // namespace lanescope::core
