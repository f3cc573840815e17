// Marks in the PTX, for a debugger, which registers hold the values that the source names: behind a value's definition
// a comment for each element that a thread holds, in the order of its layout, then an instruction without any effect.
//
//   // lanescope: element %r12
//   // lanescope: element %r13
//   pmevent 0; // lanescope: array 3 acc       number 3 of CompiledKernel::values
//   …
//   pmevent 0; // lanescope: scalar i32 k      a value of all threads, of one register
//
// The marks are no part of what is measured or shipped: values stay in registers for them, and nothing moves across
// them.
#pragma once

#include "core/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace lanescope::core {

/// Of a laid-out module. `values`: its list, as valueLayouts() gives it. Arrays of less than 16 bits an element, and
/// what a wgmma in flight adds to, are left out.
void markValues(mlir::ModuleOp module, const std::vector<ValueLayout> &values,
                llvm::function_ref<Span(mlir::Location)> spanOf);

} // namespace lanescope::core
