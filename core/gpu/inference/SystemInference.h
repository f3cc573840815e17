// Layouts and transforms of a module of JAX's, as JAX infers them: its operations' demands as a system of constraints,
// solved, and written as attributes.
//
//   inferBySystem(module, {.target = {9, 0}})
//
// Source: JAX, jax/experimental/mosaic/gpu/layout_inference.py, `infer_layout`. Kernels of snippets have systems and
// choices of their own (LayoutInference.h): their conversions and defaults are not JAX's.
#pragma once

#include "core/gpu/inference/Explanation.h"

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

struct InferenceOptions {
  constraints::Target target = {};
  int64_t fuel = constraints::kDefaultFuel;
  bool keepStated = false; // what operations' attributes say is taken as it is, and only the rest inferred
};

/// Takes the layouts and transforms off that inference writes; not those that a `custom_primitive` states.
void forgetLayouts(mlir::ModuleOp module);

/// Writes in_layouts, out_layouts, in_transforms, out_transforms, in_tmem_layouts and out_tmem_layouts. Errors go to
/// the context's diagnostic handler: an operation without a rule, or that cannot be in any layout; operations that
/// contradict each other, with a note at each of the smallest set of them; a search that ends without an answer; with
/// `keepStated`, attributes that no value can have. The module is then as it was.
mlir::LogicalResult inferBySystem(mlir::ModuleOp module, const InferenceOptions &options);

/// Calls `visit` for each operand and result that has a layout, in program order, with how its operation counts it and
/// with the chain that leads to the layout. Errors as above.
mlir::LogicalResult explainLayouts(
    mlir::ModuleOp module, const InferenceOptions &options,
    llvm::function_ref<void(const LayoutSite &site, std::string value, const std::vector<LayoutStep> &steps)> visit);

/// The system as JAX prints it before it is solved. Errors as above.
mlir::FailureOr<std::string> constraintSystemText(mlir::ModuleOp module);

} // namespace lanescope::core
