// From warpgroup-level IR to PTX. The one way in to the compiler; no MLIR or LLVM type shows here.
//
//   Compiler compiler;                                    // keep it: a warm one compiles in milliseconds
//   auto module = parseModule(compiler.context(), Source::make("k.mlir", text));
//   KernelStages stages = compiler.compile(std::move(*module), {});
//   if (stages.kernel) device.run(*stages.kernel, inputs, {});
//
// Not thread-safe: one compiler, and the modules made with it, belong to one thread at a time.
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
  std::string arch{defaultGpuTarget().name}; // one of gpuTargets(); another is an error
  std::string_view until = kPtxStage.id;     // the last stage to run; SASS is not run here (Sass.h)
  /// Print each stage's text into Stages::stages, with the origins of its lines. Costs more than a small kernel's
  /// compilation; the PTX is always there, without origins.
  bool keepTexts = false;
  /// Marks in the PTX which registers hold what the source names (DebugValues.h), for a debugger. It is other code
  /// then.
  bool markValues = false;
};

class Compiler {
public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// What modules for this compiler are made in.
  IrContext &context();
  /// Runs the stages; on an error those before it are kept. Never fails otherwise.
  KernelStages compile(KernelModule module, const CompileOptions &options);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::core
