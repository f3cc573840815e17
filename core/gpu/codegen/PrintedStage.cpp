#include "core/gpu/codegen/PrintedStage.h"

#include "core/ir/KernelModuleImpl.h"
#include "layouts/support/Text.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/raw_ostream.h"

namespace lanescope::core {

namespace {

Stage stageOf(const StageKind &kind, const std::string &name, std::string content, std::vector<LineOrigin> origins) {
  size_t ended = llvm::count(content, '\n');
  origins.resize(ended + (content.empty() || content.back() == '\n' ? 0 : 1));
  return {kind, Source::make(text(name, kind.suffix), std::move(content)), std::move(origins)};
}

LineOrigin &lineOf(std::vector<LineOrigin> &origins, size_t line) {
  if (origins.size() < line)
    origins.resize(line);
  return origins[line - 1];
}

LineOrigin originOf(const SourcePlaces &places, mlir::Operation *op) {
  LineOrigin origin{LineOrigin::Kind::Compiler};
  bool named = false;
  op->getLoc()->walk([&](mlir::Location each) {
    if (auto range = mlir::dyn_cast<mlir::FileLineColRange>(each)) {
      LineOrigin more = places.at(range.getFilename().strref(), range.getStartLine(), range.getStartColumn());
      origin = named ? origin : LineOrigin{};
      named = true;
      addTo(origin, std::move(more));
    }
    return mlir::WalkResult::advance();
  });
  return mlir::isa<mlir::FunctionOpInterface>(op) && origin.kind == LineOrigin::Kind::Compiler ? places.head() : origin;
}

/// Records the line at which each instruction is printed; prints nothing itself.
class InstructionLines : public llvm::AssemblyAnnotationWriter {
public:
  InstructionLines(const SourcePlaces &places, std::vector<LineOrigin> &origins) : places_(places), origins_(origins) {}

  void emitInstructionAnnot(const llvm::Instruction *instruction, llvm::formatted_raw_ostream &out) override {
    LineOrigin &origin = lineOf(origins_, out.getLine() + 1);
    const llvm::DILocation *location = instruction->getDebugLoc();
    origin = location ? places_.at(location->getFilename(), location->getLine(), location->getColumn())
                      : LineOrigin{LineOrigin::Kind::Compiler};
  }

private:
  const SourcePlaces &places_;
  std::vector<LineOrigin> &origins_;
};

} // namespace

Stage printed(const StageKind &kind, const std::string &name, mlir::ModuleOp module, const SourcePlaces &places) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  mlir::AsmState::LocationMap lines;
  mlir::AsmState state(module, mlir::OpPrintingFlags().useLocalScope().assumeVerified(), &lines);
  module->print(stream, state);
  std::vector<LineOrigin> origins;
  for (auto &[op, place] : lines)
    lineOf(origins, place.first) = originOf(places, op);
  return stageOf(kind, name, std::move(content), std::move(origins));
}

Stage printed(const StageKind &kind, const std::string &name, const KernelModule &module, const Span &head) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  mlir::ModuleOp top = *module.impl().module;
  mlir::AsmState::LocationMap lines;
  mlir::AsmState state(top, mlir::OpPrintingFlags().assumeVerified(), &lines);
  top->print(stream, state);
  std::string text = moduleText(module);
  std::vector<LineOrigin> origins;
  // If the texts of our printer and JAX's have equally many lines, each line has the origin of its counterpart.
  // Otherwise the origins are unknown.
  if (llvm::count(content, '\n') == llvm::count(text, '\n')) {
    SourcePlaces places(module.impl().sources, head);
    for (auto &[op, place] : lines)
      lineOf(origins, place.first) = originOf(places, op);
  }
  return stageOf(kind, name, std::move(text), std::move(origins));
}

Stage printed(const StageKind &kind, const std::string &name, const llvm::Module &module, const SourcePlaces &places) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  std::vector<LineOrigin> origins;
  InstructionLines writer(places, origins);
  module.print(stream, &writer);
  Stage stage = stageOf(kind, name, std::move(content), std::move(origins));
  for (uint32_t line = 1; line <= stage.origins.size(); ++line)
    if (stage.source->lineText(line).starts_with("define "))
      stage.origins[line - 1] = places.head();
  return stage;
}

} // namespace lanescope::core
