#include "core/ir/ModuleReader.h"

#include "core/data/ProcessMemory.h"
#include "core/ir/CommonSyntax.h"
#include "core/ir/DiagnosticCollector.h"
#include "core/ir/KernelModuleImpl.h"

#include "layouts/support/Text.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>

namespace lanescope::core {

namespace {

/// While the object lives, the parser accepts operations of dialects that are not loaded, or refuses them.
class AllowUnknownDialects {
public:
  AllowUnknownDialects(mlir::MLIRContext &context, bool allow)
      : context_(context), before_(context.allowsUnregisteredDialects()) {
    context_.allowUnregisteredDialects(allow);
  }
  ~AllowUnknownDialects() { context_.allowUnregisteredDialects(before_); }
  AllowUnknownDialects(const AllowUnknownDialects &) = delete;
  AllowUnknownDialects &operator=(const AllowUnknownDialects &) = delete;

private:
  mlir::MLIRContext &context_;
  bool before_;
};

template <template <unsigned> class Trait, unsigned... counts>
bool countedBy(mlir::Operation *op, unsigned count, std::integer_sequence<unsigned, counts...>) {
  return ((!op->hasTrait<Trait<counts + 2>::template Impl>() || count == counts + 2) && ...);
}

/// Checks that the operation has as many operands, results and regions as its accessors rely on.
mlir::LogicalResult checkStructure(mlir::Operation *op) {
  namespace trait = mlir::OpTrait;
  constexpr auto kCounts =
      std::make_integer_sequence<unsigned, 6>(); // traits for two and more; MLIR has separate traits for fewer
  unsigned operands = op->getNumOperands(), results = op->getNumResults(), regions = op->getNumRegions();
  bool fits =
      (!op->hasTrait<trait::ZeroOperands>() || operands == 0) &&
      (!op->hasTrait<trait::OneOperand>() || operands == 1) && (!op->hasTrait<trait::ZeroResults>() || results == 0) &&
      (!op->hasTrait<trait::OneResult>() || results == 1) && (!op->hasTrait<trait::ZeroRegions>() || regions == 0) &&
      (!op->hasTrait<trait::OneRegion>() || regions == 1) && countedBy<trait::NOperands>(op, operands, kCounts) &&
      countedBy<trait::NResults>(op, results, kCounts) && countedBy<trait::NRegions>(op, regions, kCounts);
  if (!fits)
    return op->emitOpError("does not have the operands, results and regions of such an operation");
  if (op->hasTrait<trait::AttrSizedOperandSegments>()) {
    auto sizes =
        llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(op->getInherentAttr("operandSegmentSizes").value_or(nullptr));
    int64_t total = 0;
    bool negative = false;
    for (int32_t size : sizes ? sizes.asArrayRef() : llvm::ArrayRef<int32_t>()) {
      negative |= size < 0;
      total += size;
    }
    if (!sizes || negative || total != operands)
      return op->emitOpError("has `operandSegmentSizes` that do not add up to its operands");
  }
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (op->isRegistered() && !op->hasTrait<trait::NoTerminator>() && !block.mightHaveTerminator())
        return op->emitOpError("has a block without a terminator");
  return mlir::success();
}

/// Checks that each value is defined before its uses, and reports each use for which this is not true.
mlir::LogicalResult checkDominance(mlir::Operation &root) {
  mlir::DominanceInfo dominance(&root);
  auto isDefined = [&](mlir::Value value, mlir::Operation *user) {
    if (value.getParentRegion())
      return dominance.properlyDominates(value, user);
    // Outside all modules there is one block, and no region that could be queried.
    mlir::Operation *definition = value.getDefiningOp(), *there = value.getParentBlock()->findAncestorOpInBlock(*user);
    return !definition || (there && definition->isBeforeInBlock(there));
  };
  auto outcome = root.walk([&](mlir::Operation *op) {
    for (mlir::Value operand : op->getOperands()) {
      if (isDefined(operand, op))
        continue;
      op->emitOpError("uses a value that is not defined before it");
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return mlir::failure(outcome.wasInterrupted());
}

} // namespace

ModuleReader::ModuleReader(std::shared_ptr<mlir::MLIRContext> context, SourceRef source, ModuleDialects dialects)
    : context_(std::move(context)), source_(std::move(source)), dialects_(dialects), unknown_(source_) {}

Result<void> ModuleReader::read(ModuleChecks checks) {
  if (auto fine = checkModuleText(source_); !fine)
    return fine;
  constexpr uint64_t kPerByte = 20; // constants take most
  if (auto room = reserveParsed(source_, kPerByte); !room)
    return room;
  std::vector<SyntaxDifference> known(commonDifferences().begin(), commonDifferences().end());
  llvm::append_range(known, dialects_.differences);
  const std::vector<TextEdit> differences = toOurSyntax(source_->text(), known);
  constexpr int kMostRounds = 64; // each unknown operation takes one round, and each type that is learnt takes one more
  for (int round = 0;; ++round) {
    const std::vector<TextEdit> unknown = unknown_.edits();
    std::vector<TextEdit> edits = unknown;
    for (const TextEdit &edit : differences) // an unknown operation keeps its text as the module has it
      if (std::ranges::none_of(unknown,
                               [&](const TextEdit &all) { return all.begin <= edit.begin && edit.end <= all.end; }))
        edits.push_back(edit);
    edited_ = EditedText(source_->text(), std::move(edits));
    text_ = Source::make(source_->name(), edited_.text());
    Diagnostics problems;
    if (mlir::succeeded(parse({text_}, problems)))
      break;
    auto failed = failure(std::move(problems), /*inEdited=*/true);
    if (!dialects_.keepsUnknown || round == kMostRounds || failed.error().empty() ||
        !unknown_.learn(failed.error().front()))
      return failed;
  }
  place();
  std::vector<SourceRef> sources{source_};
  DiagnosticCollector collector(*context_, sources, "ir");
  if (mlir::failed(verify(checks)))
    return failure(collector.take(), /*inEdited=*/false);
  return {};
}

mlir::LogicalResult ModuleReader::parse(const std::vector<SourceRef> &sources, Diagnostics &problems) {
  block_.clear();
  state_ = mlir::AsmParserState();
  AllowUnknownDialects allowed(*context_, dialects_.keepsUnknown);
  DiagnosticCollector collector(*context_, sources, "ir");
  llvm::SourceMgr buffers;
  buffers.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text_->text(), text_->name()), llvm::SMLoc());
  mlir::ParserConfig config(context_.get(), /*verifyAfterParse=*/false);
  auto parsed = mlir::parseAsmSourceFile(buffers, &block_, config, &state_);
  problems = collector.take();
  return parsed;
}

/// A module with an argument of any type, as in JAX's tests of its inference, cannot pass the verifiers. For such a
/// module, this function checks only the numbers of operands, results and regions that accessors rely on. An operation
/// that only another version of MLIR knows has no verifier; if there is one, all other operations are verified one by
/// one.
mlir::LogicalResult ModuleReader::verify(ModuleChecks checks) {
  bool anyValues = checks == ModuleChecks::Structure, unknown = false;
  for (mlir::Operation &op : block_)
    op.walk([&](mlir::Operation *each) {
      anyValues |= isAnyValue(each);
      unknown |= !each->isRegistered() && each->getDialect();
    });
  AllowUnknownDialects allowed(*context_, dialects_.keepsUnknown);
  auto check = [&](mlir::Operation *op) {
    if (anyValues)
      return mlir::WalkResult(checkStructure(op));
    return op->isRegistered() ? mlir::WalkResult(op->getName().verifyInvariants(op)) : mlir::WalkResult::advance();
  };
  for (mlir::Operation &op : block_) {
    if (!anyValues && !unknown && mlir::failed(mlir::verify(&op)))
      return mlir::failure();
    if ((anyValues || unknown) && (op.walk(check).wasInterrupted() || mlir::failed(checkDominance(op))))
      return mlir::failure();
  }
  return mlir::success();
}

bool ModuleReader::isAnyValue(mlir::Operation *op) const {
  if (!llvm::is_contained(dialects_.anyValues, std::string_view(op->getName().getStringRef())))
    return false;
  mlir::ScopedDiagnosticHandler silence(context_.get(), [](mlir::Diagnostic &) { return mlir::success(); });
  return mlir::failed(op->getName().verifyInvariants(op));
}

void ModuleReader::place() {
  for (mlir::AsmParserState::OperationDefinition &definition : state_.getOpDefs()) {
    Span name = nameSpanOf(*definition.op);
    LineColumn at = source_->lineColumn(name.begin);
    mlir::Location place = mlir::FileLineColLoc::get(context_.get(), source_->name(), at.line, at.column);
    auto own = definition.op->getLoc()->findInstanceOf<mlir::FileLineColRange>();
    if (own && own.getFilename().strref() != text_->name())
      place = mlir::FusedLoc::get(context_.get(), {place, own});
    definition.op->setLoc(place);
  }
}

mlir::ModuleOp ModuleReader::module() {
  bool one = !block_.empty() && &block_.front() == &block_.back();
  return one ? llvm::dyn_cast<mlir::ModuleOp>(block_.front()) : mlir::ModuleOp();
}

static uint32_t offsetIn(const Source &text, llvm::SMLoc place) {
  auto offset = place.getPointer() - text.text().data();
  return static_cast<uint32_t>(std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text.text())));
}

Span ModuleReader::inSource(uint32_t begin, uint32_t end) const {
  uint32_t from = edited_.original(begin);
  return {source_, from, std::max(from, edited_.original(end))};
}

Span ModuleReader::spanOf(mlir::Operation &op) const {
  const mlir::AsmParserState::OperationDefinition *definition = state_.getOpDef(&op);
  if (!definition)
    return {source_, 0, 0};
  return inSource(offsetIn(*text_, definition->scopeLoc.Start), offsetIn(*text_, definition->scopeLoc.End));
}

Span ModuleReader::nameSpanOf(mlir::Operation &op) const {
  const mlir::AsmParserState::OperationDefinition *definition = state_.getOpDef(&op);
  if (!definition)
    return {source_, 0, 0};
  return inSource(offsetIn(*text_, definition->loc.Start), offsetIn(*text_, definition->loc.End));
}

std::string ModuleReader::origin(mlir::Operation &op) const {
  auto both = llvm::dyn_cast<mlir::FusedLoc>(op.getLoc());
  if (!both || both.getLocations().size() < 2)
    return {};
  auto own = both.getLocations()[1]->findInstanceOf<mlir::FileLineColRange>();
  return own ? text(own.getFilename().str(), ":", own.getStartLine(), ":", own.getStartColumn()) : std::string();
}

std::unexpected<Diagnostics> ModuleReader::failure(Diagnostics problems, bool inEdited) const {
  auto mend = [&](Span &span) {
    if (!span.source)
      span = {source_, 0, 0};
    else if (inEdited)
      span = inSource(span.begin, span.end);
  };
  for (Diagnostic &problem : problems) {
    mend(problem.span);
    for (Note &note : problem.notes)
      mend(note.span);
  }
  if (!hasErrors(problems))
    return error("ir", {source_, 0, 0}, "this is not a module in MLIR's text form");
  return std::unexpected(std::move(problems));
}

KernelModule ModuleReader::take() {
  auto impl = std::make_unique<KernelModule::Impl>();
  impl->context = context_;
  impl->sources = {source_};
  if (mlir::ModuleOp own = module()) {
    own->remove();
    impl->module = own;
  } else {
    impl->module = mlir::ModuleOp::create(mlir::FileLineColLoc::get(context_.get(), source_->name(), 1, 1));
    impl->module->getBody()->getOperations().splice(impl->module->getBody()->end(), block_.getOperations());
  }
  return KernelModule(std::move(impl));
}

} // namespace lanescope::core
