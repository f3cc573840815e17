// Chooses, as JAX does, the transforms of shared memory for which the source has no `with_transforms`.
//
//   OpenTransforms open(module);
//   open.chooseForOperands();                 the operand of a `wgmma`: tiles of (8, 64), swizzle 128
//   … arrays get their layouts, which depend on the tiling of the memory they are read from …
//   open.chooseForArrays(rules, layoutAt);    memory of stored WGMMA arrays: the widest tiles that slices allow
//
// The system of constraints is the one for JAX's modules (demands/), restricted to references. Memory that products or
// copies to tensor memory read must be tiled; it is an error if no tiling fits all uses. Our lowering can move arrays
// to and from any memory, so for them tiles only avoid bank conflicts, and are left out if they do not fit. All other
// memory stays row-major. Source: JAX, jax/experimental/mosaic/gpu/layout_inference.py.
#pragma once

#include "core/gpu/inference/constraints/ConstraintSystem.h"
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/inference/Transforms.h"

namespace lanescope::core {

class OpenTransforms {
public:
  explicit OpenTransforms(mlir::ModuleOp module);

  /// Errors, at the operations that contradict each other.
  mlir::LogicalResult chooseForOperands();
  /// `layoutAt` returns the layout of the array in a transfer. The function returns true if it chose further
  /// transforms.
  bool chooseForArrays(const LayoutRules &rules,
                       llvm::function_ref<layouts::RegisterLayout(const LayoutSite &)> layoutAt);

  /// The chosen transforms that have a tile or a swizzle.
  const ChosenTransforms &chosen() const { return chosen_; }

private:
  void keep(const constraints::Assignments &assignments);

  mlir::ModuleOp module_;
  llvm::SmallVector<mlir::Value> slices_; // those without stated transforms
  Derivation derivation_{Derivation::Scope::Part};
  constraints::System system_; // completed, with the choices for operands
  const GpuTarget &target_;
  ChosenTransforms chosen_;
};

} // namespace lanescope::core
