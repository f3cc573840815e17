// Marks in the PTX, for a debugger, which registers hold the values that the source names: behind a value's definition
// a comment for each element that a thread holds, in the order of its layout, then an instruction without any effect.
//
//   // lanescope: element %r12
//   // lanescope: element %r13
//   pmevent 0; // lanescope: array 3 acc       number 3 of CompiledKernel::values
//   …
//   pmevent 0; // lanescope: scalar i32 k      a value of all threads, of one register
//
// Of what a wgmma adds to the mark stands behind its instructions, which name the registers:
//
//   wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r31,%r32,…}, …
//   pmevent 0; // lanescope: product 3 acc
//   pmevent 0; // lanescope: unknown acc          something else is written there
//
// An element of 8 bits has a register of its own, two of 4 bits share one. An array in shared memory has the place
// where it always is, behind the start of the block's dynamic shared memory, and how it lies there: type, shape, tile,
// swizzle.
//
//   // lanescope: element dynamic+1024
//   pmevent 0; // lanescope: ref f16 2x64x64 8x64 128 tiles
//
// The marks are no part of what is measured or shipped: values stay in registers for them, and nothing moves across
// them.
#pragma once

#include "core/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace lanescope::core {

/// Of a laid-out module. `values`: its list, as valueLayouts() gives it.
void markValues(mlir::ModuleOp module, const std::vector<ValueLayout> &values,
                llvm::function_ref<Span(mlir::Location)> spanOf);

} // namespace lanescope::core
