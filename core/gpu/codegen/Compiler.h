// Compiles warpgroup-level IR to PTX. This is the only entry point of the compiler. No MLIR or LLVM type appears here.
//
//   Compiler compiler;                                    // keep it: a warm one compiles in milliseconds
//   auto module = parseModule(compiler.context(), Source::make("k.mlir", text));
//   KernelStages stages = compiler.compile(std::move(*module), {});
//   if (stages.kernel) device.run(*stages.kernel, inputs, {});
//
// Not thread-safe: a compiler and the modules made with it belong to one thread at a time.
#pragma once

#include "core/gpu/codegen/KernelStages.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "core/ir/KernelModule.h"

#include <memory>
#include <string>
#include <vector>

namespace lanescope::core {

struct CompileOptions {
  std::string arch{defaultGpuTarget().name}; // one of gpuTargets(); any other is an error
  std::string_view until = kPtxStage.id;     // the last stage to run; SASS is made elsewhere (Sass.h)
  /// Print each stage's text into Stages::stages, with the origins of its lines. This costs more than compiling a small
  /// kernel. The PTX is always included, without origins.
  bool keepTexts = false;
  /// Mark in the PTX the registers that hold the source's named values (DebugValues.h), for a debugger. This changes
  /// the code.
  bool markValues = false;
};

class Compiler {
public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// The context in which this compiler's modules are created.
  IrContext &context();
  /// Runs the stages; after an error, the earlier stages are kept. Does not fail in any other way.
  KernelStages compile(KernelModule module, const CompileOptions &options);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::core
