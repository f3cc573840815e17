// A kernel as IR of some target's dialects, opaque: no MLIR or LLVM type shows here. What is inside:
// KernelModuleImpl.h.
//
//   IrContext context = makeGpuContext();                     // core/gpu/ir/Context.h. Keep it: it holds the dialects
//   auto module = parseModule(context, Source::make("k.mlir", text));
#pragma once

#include "layouts/support/Diagnostic.h"

#include <memory>
#include <string>

namespace lanescope::core {

/// What modules are made in: every dialect that a target's kernels and their lowering use. One context, and the modules
/// made with it, belong to one thread at a time.
class IrContext {
public:
  struct Impl;
  explicit IrContext(std::unique_ptr<Impl> impl);
  IrContext(IrContext &&) noexcept;
  IrContext &operator=(IrContext &&) noexcept;
  ~IrContext();
  Impl &impl() { return *impl_; }

private:
  std::unique_ptr<Impl> impl_;
};

/// Made by a target's builder from a snippet, or by parseModule. It keeps its context alive.
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

/// How a module that is read is verified: by its operations' verifiers, or only for the operands, results and regions
/// that accessors count on.
enum class ModuleChecks { All, Structure };

/// A module in MLIR's text form, of our version of MLIR or another (ModuleReader.h): a snippet's `--emit ir`, a dump of
/// JAX. Errors (kind "ir") point into `text`.
Result<KernelModule> parseModule(IrContext &context, SourceRef text, ModuleChecks checks = ModuleChecks::All);
/// The module in MLIR's text form as JAX prints it (CommonSyntax.h), without locations; parseModule reads it back.
std::string moduleText(const KernelModule &module);

} // namespace lanescope::core
