// Gives every array of a kernel a register layout and every shared-memory reference its transforms, written as JAX
// writes them (see Layouts.h).
//
//   a = tile[...]                      the tile is swizzled, so WGMMA
//   b = x[...]                         b meets a, so WGMMA too
//   c = layout_cast(a + b, L)          c is L, by an explicit conversion
//
// Operations say what they demand (core/gpu/ir/LayoutRules.h). Arrays that are equal by a rule are merged (Groups),
// with what an operation demands outright, a `layout_cast` (and so `load(layout=)`) or an attribute among it; what is
// said of different ones is a system of constraints (KernelSystem), searched like those of JAX's modules but by choices
// of our own (KernelChoices). Constants have no layout of their own and fit anywhere. Two different explicit layouts
// that meet are an error that names both, where each comes from, and the mend with its cost.
//
// Not here: conversions that nobody asked for.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// Errors go to the context's diagnostic handler, all that there are.
mlir::LogicalResult inferLayouts(mlir::ModuleOp module);

/// Name, type and layout of each value that a laid-out module defines, in program order. Spans are made from
/// locations by `spanOf`.
std::vector<ValueLayout> valueLayouts(mlir::ModuleOp module, llvm::function_ref<Span(mlir::Location)> spanOf);

/// The arrays in shared memory that the module declares under a name, each once, in the order of their declarations.
std::vector<SharedArray> sharedArrays(mlir::ModuleOp module);

/// The arrays in tensor memory that a laid-out module declares, in program order. `lineOf`: of the snippet, 0 for
/// places elsewhere.
std::vector<TensorArray> tensorArrays(mlir::ModuleOp module, llvm::function_ref<uint32_t(mlir::Location)> lineOf);

} // namespace lanescope::core
