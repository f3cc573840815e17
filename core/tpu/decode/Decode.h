// Decodes an MLIR module into a program for the emulator.
//
//   IrContext context = makeTpuContext();
//   auto module = parseModule(context, source);
//   Result<sparsecore::Program> program = decodeProgram(*module);
//
// Errors, all with the operation's place: kind "unknown-operation" for an operation that the emulator lacks,
// "not-a-sparsecore-module" for kernels whose attributes do not say how they run.
#pragma once

#include "core/ir/KernelModule.h"
#include "core/tpu/program/Program.h"

namespace lanescope::core {

Result<sparsecore::Program> decodeProgram(const KernelModule &module);

} // namespace lanescope::core
