#include "core/ir/KernelModuleImpl.h"

#include "core/ir/DiagnosticCollector.h"
#include "core/ir/ModuleText.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

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

Result<KernelModule> parseModule(IrContext &context, SourceRef text) {
  if (Result<void> fine = checkModuleText(text); !fine)
    return std::unexpected(std::move(fine.error()));
  auto impl = std::make_unique<KernelModule::Impl>();
  impl->context = context.impl().mlir;
  impl->sources = {text};
  DiagnosticCollector collector(*impl->context, impl->sources, "ir");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text->text(), text->name()), llvm::SMLoc());
  impl->module = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(impl->context.get()));
  if (!impl->module) {
    Diagnostics problems = collector.take();
    if (problems.empty())
      return error("ir", {text, 0, 0}, "this is not a module in MLIR's text form");
    return std::unexpected(std::move(problems));
  }
  return KernelModule(std::move(impl));
}

} // namespace lanescope::core
