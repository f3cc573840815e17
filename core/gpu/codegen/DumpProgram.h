// Turns a module that JAX dumped into a kernel that runs: compiles it, and provides arrays for its arguments.
//
//   KernelStages stages = *compileDump(compiler, source, {});                      // for the dump's own target
//   std::vector<Array> inputs = *dumpInputs(*stages.kernel, {"a.npy", "b.npy"}, source);
//   device.run(*stages.kernel, inputs, {});
#pragma once

#include "core/gpu/codegen/Compiler.h"

#include <span>

namespace lanescope::core {

struct DumpOptions {
  std::string arch = {}; // empty: the dump's own target, or the default if it states none
  std::string_view until = kPtxStage.id;
  bool keepTexts = false;
};

/// Errors of reading ("ir", "layout", "dump-kernel") have places in `source`; those of compiling are in the stages.
Result<KernelStages> compileDump(Compiler &compiler, const SourceRef &source, const DumpOptions &options);

/// Returns one array per kernel buffer. `files` (.npy) are JAX's arguments in its order. Arguments without a file get
/// small random numbers, the same in every run, or zeros if the kernel only writes them. Errors: "npy",
/// "shape-mismatch" for an array of another shape or type, "arguments" for more files than arguments.
Result<std::vector<Array>> dumpInputs(const CompiledKernel &kernel, std::span<const std::string> files,
                                      const SourceRef &source);
/// Uses arrays in memory instead of files.
Result<std::vector<Array>> dumpInputs(const CompiledKernel &kernel, std::span<const Array> given,
                                      const SourceRef &source);

} // namespace lanescope::core
