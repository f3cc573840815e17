// From warpgroup-level IR to PTX. The one way in to the compiler; no MLIR or LLVM type shows here.
//
//   Compiler compiler;                                    // keep it: a warm one compiles in milliseconds
//   auto module = compiler.parse(Source::make("k.mlir", text));
//   Stages stages = compiler.compile(std::move(*module), {});
//   if (stages.kernel) device.run(*stages.kernel, inputs, {});
//
// Not thread-safe: one compiler, and the modules made with it, belong to one thread at a time.
#pragma once

#include "core/Stages.h"

#include <memory>
#include <string>
#include <vector>

namespace lanescope::core {

/// A kernel as `mosaic_gpu` IR, made by core/build from a snippet or by Compiler::parse. It keeps its compiler's
/// context alive. What is inside: core/codegen/KernelModule.h.
class KernelModule {
public:
  struct Impl;
  explicit KernelModule(std::unique_ptr<Impl> impl);
  KernelModule(KernelModule &&) noexcept;
  KernelModule &operator=(KernelModule &&) noexcept;
  ~KernelModule();

  KernelModule clone() const;
  Impl &impl() { return *impl_; }
  const Impl &impl() const { return *impl_; }

private:
  std::unique_ptr<Impl> impl_;
};

struct CompileOptions {
  std::string arch = "sm_90a"; // or "sm_100a"; another is an error
  StageKind until = StageKind::Ptx;
  /// Print each stage's text into Stages::stages. Costs more than a small kernel's compilation; the PTX is always
  /// there.
  bool keepTexts = false;
};

class Compiler {
public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// A module in MLIR's text form (a snippet's `--emit ir`, a JAX dump). Errors point into `text`.
  Result<KernelModule> parse(SourceRef text);
  /// Runs the stages; on an error those before it are kept. Never fails otherwise.
  Stages compile(KernelModule module, const CompileOptions &options);

  struct Impl;
  Impl &impl() { return *impl_; }

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::core
