#include "core/ir/KernelModuleImpl.h"

#include "core/ir/DiagnosticCollector.h"
#include "core/ir/ModuleText.h"
#include "core/ir/NewerSyntax.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"

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

/// Verifies with each operation's place in the text as its location, so that a module whose operations say where they
/// come from is refused at its own lines; the locations that it has stay.
static mlir::LogicalResult verifyAtItsText(mlir::ModuleOp module, const mlir::AsmParserState &state,
                                           const Source &parsed) {
  std::vector<std::pair<mlir::Operation *, mlir::Location>> own;
  for (const mlir::AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    own.emplace_back(definition.op, definition.op->getLoc());
    auto offset = static_cast<uint32_t>(definition.loc.Start.getPointer() - parsed.text().data());
    LineColumn place = parsed.lineColumn(offset);
    definition.op->setLoc(mlir::FileLineColLoc::get(module.getContext(), parsed.name(), place.line, place.column));
  }
  mlir::LogicalResult fine = mlir::verify(module);
  for (auto [op, location] : own)
    op->setLoc(location);
  return fine;
}

Result<KernelModule> parseModule(IrContext &context, SourceRef text) {
  if (Result<void> fine = checkModuleText(text); !fine)
    return std::unexpected(std::move(fine.error()));
  auto impl = std::make_unique<KernelModule::Impl>();
  impl->context = context.impl().mlir;
  impl->sources = {text};
  DiagnosticCollector collector(*impl->context, impl->sources, "ir");
  // Diagnostics name lines and columns, which are the text's own but behind a slice.
  SourceRef parsed = Source::make(text->name(), withOlderSlices(text->text()));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(parsed->text(), text->name()), llvm::SMLoc());
  mlir::Block block;
  mlir::AsmParserState state;
  mlir::ParserConfig config(impl->context.get(), /*verifyAfterParse=*/false);
  if (mlir::succeeded(mlir::parseAsmSourceFile(sources, &block, config, &state))) {
    bool one = llvm::hasSingleElement(block) && mlir::isa<mlir::ModuleOp>(block.front());
    if (one) {
      impl->module = mlir::cast<mlir::ModuleOp>(block.front());
      block.front().remove();
    } else {
      impl->module = mlir::ModuleOp::create(mlir::FileLineColLoc::get(impl->context.get(), text->name(), 1, 1));
      impl->module->getBody()->getOperations().splice(impl->module->getBody()->begin(), block.getOperations());
    }
    if (mlir::succeeded(verifyAtItsText(*impl->module, state, *parsed)))
      return KernelModule(std::move(impl));
  }
  Diagnostics problems = collector.take();
  if (!hasErrors(problems))
    return error("ir", {text, 0, 0}, "this is not a module in MLIR's text form");
  for (Diagnostic &problem : problems)
    if (!problem.span.source)
      problem.span = {text, 0, 0};
  return std::unexpected(std::move(problems));
}

std::string moduleText(const KernelModule &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::ModuleOp top = *module.impl().module;
  // MLIR prints what does not verify in generic form, as JAX's dumps of such modules are; an operation that we lack is
  // no reason for that.
  bool known = true;
  top.walk([&](mlir::Operation *op) { known &= op->isRegistered(); });
  mlir::OpPrintingFlags flags;
  top.print(stream, known ? flags : flags.assumeVerified());
  return withNewerSlices(text);
}

} // namespace lanescope::core
