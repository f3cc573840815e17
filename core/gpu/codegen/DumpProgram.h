// A module that JAX dumped as a kernel that runs: compiled, and with arrays for its arguments.
//
//   KernelStages stages = *compileDump(compiler, source, {});                      // for what the dump was made for
//   std::vector<Array> inputs = *dumpInputs(*stages.kernel, {"a.npy", "b.npy"}, source);
//   device.run(*stages.kernel, inputs, {});
#pragma once

#include "core/gpu/codegen/Compiler.h"

#include <span>

namespace lanescope::core {

struct DumpOptions {
  std::string arch = {}; // empty: what the dump was made for, or the default where it does not say
  std::string_view until = kPtxStage.id;
  bool keepTexts = false;
};

/// Errors of reading ("ir", "layout", "dump-kernel") have places in `source`; those of compiling are in the stages.
Result<KernelStages> compileDump(Compiler &compiler, const SourceRef &source, const DumpOptions &options);

/// One array for each of the kernel's buffers: `files` (.npy) are JAX's arguments in its order. Arguments without a
/// file get small random numbers, the same in every run, or zeros where the kernel only writes them. Errors: "npy",
/// "shape-mismatch" for an array of another shape or type, "arguments" for more files than the kernel has arguments.
Result<std::vector<Array>> dumpInputs(const CompiledKernel &kernel, std::span<const std::string> files,
                                      const SourceRef &source);
/// The same with arrays that are there already.
Result<std::vector<Array>> dumpInputs(const CompiledKernel &kernel, std::span<const Array> given,
                                      const SourceRef &source);

} // namespace lanescope::core
