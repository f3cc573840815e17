// Decodes an MLIR module into a program for the emulator.
//
//   IrContext context = makeTpuContext();
//   auto module = parseModule(context, source);
//   Result<sparsecore::Program> program = decodeProgram(*module);
//
// Errors have the operation's place. Their kind is "unknown-operation" for an operation that the emulator lacks, and
// "not-a-sparsecore-module" for a kernel whose attributes do not say how it runs.
#pragma once

#include "core/ir/KernelModule.h"
#include "core/tpu/program/TpuProgram.h"

namespace lanescope::core {

Result<sparsecore::Program> decodeProgram(const KernelModule &module);

} // namespace lanescope::core
