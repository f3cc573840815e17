#include "core/ir/KernelModuleImpl.h"

#include "core/ir/CommonSyntax.h"
#include "core/ir/ModuleReader.h"

namespace lanescope::core {

IrContext::IrContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
IrContext::IrContext(IrContext &&) noexcept = default;
IrContext &IrContext::operator=(IrContext &&) noexcept = default;
IrContext::~IrContext() = default;

KernelModule::KernelModule(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelModule::KernelModule(KernelModule &&) noexcept = default;
KernelModule &KernelModule::operator=(KernelModule &&) noexcept = default;
KernelModule::~KernelModule() = default;

KernelModule KernelModule::clone() const {
  auto copy = std::make_unique<Impl>();
  copy->context = impl_->context;
  copy->module = impl_->module->clone();
  copy->sources = impl_->sources;
  return KernelModule(std::move(copy));
}

Result<KernelModule> parseModule(IrContext &context, SourceRef text, ModuleChecks checks) {
  ModuleReader reader(context.impl().mlir, std::move(text), context.impl().dialects);
  if (auto read = reader.read(checks); !read)
    return std::unexpected(std::move(read.error()));
  return reader.take();
}

std::string moduleText(const KernelModule &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::ModuleOp top = *module.impl().module;
  // MLIR prints a module that does not verify in generic form, like JAX's dumps of such modules. Operations that our
  // MLIR does not know must not cause this.
  bool known = true;
  top.walk([&](mlir::Operation *op) { known &= op->isRegistered(); });
  mlir::OpPrintingFlags flags;
  top.print(stream, known ? flags : flags.assumeVerified());
  return asJaxPrints(text);
}

} // namespace lanescope::core
