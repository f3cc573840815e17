// A dump's module as IR, of any version of JAX that we know: for inference, for compiling, for printing.
//
//   auto module = readDumpModule(context, Source::make("k_7.mlir", text));   // KernelModule
//   std::string again = moduleText(*module);                                 // core/ir/KernelModule.h
//
// What JAX's MLIR spells otherwise than ours is in the table of GpuDialects.h; core/ir/ModuleReader.h says
// how the rest of the module fares where it has an operation that is not known.
#pragma once

#include "core/ir/KernelModule.h"

namespace lanescope::core {

/// `context`: makeGpuContext()'s. Errors (kind "ir") have places in `source`.
Result<KernelModule> readDumpModule(IrContext &context, const SourceRef &source,
                                    ModuleChecks checks = ModuleChecks::All);

/// Its kernel in the form of ours (DumpKernel.h), and what it was made for.
struct DumpedKernel {
  KernelModule module;
  std::string arch; // "sm_90a"; empty where the module does not say, or says one that we have no code for
};
Result<DumpedKernel> readDumpKernel(IrContext &context, const SourceRef &source);

} // namespace lanescope::core
