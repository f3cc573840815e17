// A kernel as IR in a target's dialects. The type is opaque: no MLIR or LLVM type appears here. KernelModuleImpl.h has
// the contents.
//
//   IrContext context = makeGpuContext();                     // core/gpu/ir/Context.h. Keep it: it holds the dialects
//   auto module = parseModule(context, Source::make("k.mlir", text));
#pragma once

#include "layouts/support/Diagnostic.h"

#include <memory>
#include <string>

namespace lanescope::core {

/// The context that modules are made in, with every dialect that a target's kernels and their lowering use. Only one
/// thread at a time may use a context and the modules made with it.
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

/// A target's builder makes a module from a snippet; parseModule makes one from a text. It keeps its context alive.
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

/// How a module is verified after reading: by its operations' verifiers, or only for the numbers of operands, results
/// and regions that accessors rely on.
enum class ModuleChecks { All, Structure };

/// Reads a module in MLIR's text form, from our version of MLIR or another (ModuleReader.h): a snippet's `--emit ir`, a
/// dump of JAX. Errors (kind "ir") point into `text`.
Result<KernelModule> parseModule(IrContext &context, SourceRef text, ModuleChecks checks = ModuleChecks::All);
/// The module in MLIR's text form as JAX prints it (CommonSyntax.h), without locations; parseModule reads it back.
std::string moduleText(const KernelModule &module);

} // namespace lanescope::core
