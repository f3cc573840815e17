// Marks in the PTX, for a debugger, that name the registers of the source's values. After a value's definition there is
// a comment for each element that a thread holds, in the layout's order, then an instruction without effect.
//
//   // lanescope: element %r12
//   // lanescope: element %r13
//   pmevent 0; // lanescope: array 3 acc       number 3 of CompiledKernel::values
//   …
//   pmevent 0; // lanescope: scalar i32 k      the same in all threads, one register
//
// For an accumulator of a wgmma, the mark follows the wgmma instructions, and their operands name the registers:
//
//   wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r31,%r32,…}, …
//   pmevent 0; // lanescope: product 3 acc
//   pmevent 0; // lanescope: unknown acc          another value is written to it
//
// An 8-bit element has its own register; two 4-bit elements share one. An array in shared memory is marked with its
// fixed offset in the block's dynamic shared memory and its layout: type, shape, tile, swizzle.
//
//   // lanescope: element dynamic+1024
//   pmevent 0; // lanescope: ref f16 2x64x64 8x64 128 tiles
//
// Marked code is not measured or shipped: marks keep values in registers, and no instruction moves across them.
#pragma once

#include "core/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace lanescope::core {

/// Marks a laid-out module. `values`: its list from valueLayouts().
void markValues(mlir::ModuleOp module, const std::vector<ValueLayout> &values,
                llvm::function_ref<Span(mlir::Location)> spanOf);

} // namespace lanescope::core
