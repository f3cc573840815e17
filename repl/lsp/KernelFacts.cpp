#include "repl/lsp/KernelFacts.h"

#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/dumps/DumpKernelPage.h"
#include "core/gpu/dumps/PageText.h"
#include "core/Links.h"
#include "layouts/Catalogue.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Words.h"

namespace lanescope::repl::lsp {

namespace {

/// An array type as MLIR writes it, "f16[64, 128]": its shape, and the bits of an element if the element's name gives
/// them.
struct ArrayType {
  layouts::Shape shape;
  int64_t bits = 0;
};

std::optional<ArrayType> arrayType(std::string_view type) {
  size_t bracket = type.find('[');
  if (bracket == type.npos || !type.ends_with(']'))
    return std::nullopt;
  ArrayType out;
  std::string_view element = type.substr(0, bracket);
  size_t digits = element.find_first_of("0123456789");
  for (size_t at = digits; at < element.size() && element[at] >= '0' && element[at] <= '9'; ++at)
    out.bits = out.bits * 10 + (element[at] - '0');
  std::string_view sizes = type.substr(bracket + 1, type.size() - bracket - 2);
  while (!sizes.empty()) {
    size_t comma = std::min(sizes.find(','), sizes.size());
    auto size = parseInteger<int64_t>(sizes.substr(0, comma));
    if (!size)
      return std::nullopt;
    out.shape.push_back(*size);
    sizes.remove_prefix(std::min(sizes.find_first_not_of(", ", comma), sizes.size()));
  }
  return out;
}

std::string sizeWords(const layouts::Layout &layout, const ArrayType &type) {
  const auto *registers = std::get_if<layouts::RegisterLayout>(&layout);
  if (!registers || type.bits == 0)
    return {};
  auto perThread = layouts::registersShape(*registers, type.shape);
  if (!perThread)
    return {};
  auto count = layouts::checkedElementCount(*perThread);
  if (!count)
    return {};
  constexpr int64_t kRegisterBits = 32;
  int64_t bits = *count * layouts::vectorLength(*registers) * type.bits;
  return text(counted((bits + kRegisterBits - 1) / kRegisterBits, "register"), " per thread");
}

std::string sharedWords(const ArrayType &type) {
  auto count = layouts::checkedElementCount(type.shape);
  return count && type.bits > 0 ? text(counted((*count * type.bits + 7) / 8, "byte"), " of shared memory")
                                : std::string();
}

/// Adds a fact if it is not there yet. An unrolled loop gives the same fact several times.
template <typename Fact> void addOnce(std::vector<Fact> &facts, Fact fact) {
  if (std::ranges::find(facts, fact) == facts.end())
    facts.push_back(std::move(fact));
}

/// Fills in the layout from the compiler's text, which is a layout or a list of shared memory's transforms.
void describe(ValueFact &fact, const std::string &listed) {
  auto layout = layouts::parseLayout(Source::make("<layout>", listed));
  auto type = arrayType(fact.type);
  if (!layout) {
    fact.layout = listed == "[]" ? "row-major" : listed;
    fact.size = type ? sharedWords(*type) : std::string();
    return;
  }
  fact.layout = layouts::catalogueName(*layout).value_or(layouts::layoutText(*layout));
  fact.size = type ? sizeWords(*layout, *type) : std::string();
}

void addCosts(const core::Stage &laidOut, Analysis &analysis) {
  auto page = core::dumps::pageOf(laidOut.source);
  if (!page)
    return;
  auto add = [&](size_t op, std::string words, bool avoidable) {
    uint32_t line = laidOut.source->lineColumn(page->dump.ops[op].nameSpan.begin).line;
    for (const Span &place : core::originOf(laidOut, line).places)
      if (place.source == analysis.snippet->code) {
        addOnce(analysis.costs, {{place.begin, place.end}, std::move(words), avoidable});
        return;
      }
  };
  for (const core::dumps::Relayout &relayout : page->relayouts)
    if (relayout.mechanism != layouts::RelayoutMechanism::Nothing)
      add(relayout.op, core::dumps::relayoutWords(*page, relayout), true);
  for (const core::dumps::Transfer &transfer : page->transfers)
    if (transfer.unknown.empty())
      add(transfer.op, core::dumps::transferWords(transfer), transfer.conflicts() > 0);
}

} // namespace

void addFacts(const core::KernelStages &stages, Analysis &analysis) {
  if (!stages.kernel)
    return;
  for (const core::ValueLayout &value : stages.kernel->values)
    if (value.span.source == analysis.snippet->code) {
      ValueFact fact{{value.span.begin, value.span.end}, value.name, value.type, {}, {}};
      describe(fact, value.layout);
      addOnce(analysis.values, std::move(fact));
    }
  if (const core::Stage *laidOut = stages.find(core::kLaidOutStage.id); laidOut && !laidOut->origins.empty())
    addCosts(*laidOut, analysis);
}

} // namespace lanescope::repl::lsp
