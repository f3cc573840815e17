// Infers layouts and transforms of a JAX module as JAX does: collects its operations' demands in a system of
// constraints, solves it, and writes the solution as attributes.
//
//   inferBySystem(module, {.target = findGpuTarget("sm_90a")})
//
// Source: JAX, jax/experimental/mosaic/gpu/layout_inference.py, `infer_layout`. Kernels from snippets have their own
// systems and choices (LayoutInference.h), because their conversions and defaults differ from JAX's.
#pragma once

#include "core/gpu/inference/Explanation.h"

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

struct InferenceOptions {
  const GpuTarget *target = &defaultGpuTarget();
  int64_t fuel = constraints::kDefaultFuel;
  bool keepStated = false; // keep the layouts in operations' attributes, and infer only the rest
};

/// Removes the layouts and transforms that inference writes, but not those that a `custom_primitive` states.
void forgetLayouts(mlir::ModuleOp module);

/// Writes in_layouts, out_layouts, in_transforms, out_transforms, in_tmem_layouts and out_tmem_layouts. Errors go to
/// the context's diagnostic handler: an operation without a rule, or without any possible layout; operations that
/// contradict each other, with a note at each operation of a smallest such set; a search that ends without a result;
/// with `keepStated`, attributes that no value can have. After an error the module is unchanged.
mlir::LogicalResult inferBySystem(mlir::ModuleOp module, const InferenceOptions &options);

/// Calls `visit` for each operand and result that has a layout, in program order, with its name at the operation and
/// the chain that leads to the layout. Errors as above.
mlir::LogicalResult explainLayouts(
    mlir::ModuleOp module, const InferenceOptions &options,
    llvm::function_ref<void(const LayoutSite &site, std::string value, const std::vector<LayoutStep> &steps)> visit);

/// The system before it is solved, as JAX prints it. Errors as above.
mlir::FailureOr<std::string> constraintSystemText(mlir::ModuleOp module);

} // namespace lanescope::core
