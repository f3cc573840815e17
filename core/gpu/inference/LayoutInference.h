// Gives every array of a kernel a register layout and every shared-memory reference its transforms, in JAX's notation
// (see LayoutsInModule.h).
//
//   a = tile[...]                      the tile is swizzled, so WGMMA
//   b = x[...]                         a + b needs one layout, so WGMMA too
//   c = layout_cast(a + b, L)          c is L, by an explicit conversion
//
// Operations state their demands (core/gpu/ir/LayoutRules.h). Arrays that are equal by a rule are merged (Groups),
// together with layouts that are demanded directly, for example by a `layout_cast` (also from `load(layout=)`) or an
// attribute. Rules about different arrays form a system of constraints (KernelSystem), which is searched like those of
// JAX's modules, but with our own choices (KernelChoices). Constants have no layout of their own and fit anywhere. If
// one group would get two different explicit layouts, the error names both, their origins, and the fix with its cost.
//
// Not here: conversions that the source does not request.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

/// All errors go to the context's diagnostic handler.
mlir::LogicalResult inferLayouts(mlir::ModuleOp module);

/// Name, type and layout of each value that a laid-out module defines, in program order. `spanOf` turns locations into
/// spans.
std::vector<ValueLayout> valueLayouts(mlir::ModuleOp module, llvm::function_ref<Span(mlir::Location)> spanOf);

/// The named arrays that the module declares in shared memory, each once, in order of declaration.
std::vector<SharedArray> sharedArrays(mlir::ModuleOp module);

/// The arrays that a laid-out module declares in tensor memory, in program order. `lineOf`: the snippet's line of a
/// location, 0 for other places.
std::vector<TensorArray> tensorArrays(mlir::ModuleOp module, llvm::function_ref<uint32_t(mlir::Location)> lineOf);

} // namespace lanescope::core
