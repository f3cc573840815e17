#include "viz/gui/explorer/ComparisonWords.h"

#include "layouts/cost/Relayout.h"
#include "layouts/cost/Verdicts.h"
#include "layouts/Diff.h"
#include "layouts/Equal.h"
#include "layouts/support/Text.h"

namespace lanescope::viz {

namespace {

using layouts::Move;

std::string listed(const std::vector<std::string> &parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += text(i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ", parts[i]);
  return out;
}

std::string equalityWords(const layouts::EqualResult &result, const layouts::Shape &shape) {
  int64_t count = layouts::elementCount(shape);
  std::string where = result.memory == layouts::Memory::Registers ? "thread and register"
                      : result.memory == layouts::Memory::Shared  ? "bytes"
                                                                  : "lane and column";
  if (result.exact)
    return text("Equal: all ", count, " elements of ", layouts::tupleText(shape), " lie in the same ", where, ".");
  if (result.sameOwners && !result.renaming.empty())
    return text("Equal but for the numbers of registers: every element lies in the same thread, and one renaming of "
                "registers, the same in all threads, turns one layout into the other.");
  return text("Not equal: ", result.differing, " of ", count, " elements lie elsewhere.");
}

std::string firstWords(const layouts::EqualResult &result) {
  return text("The first is ", layouts::tupleText(result.counterexample->index), ": ", result.counterexample->left,
              " here, ", result.counterexample->right, " there.");
}

std::string diffWords(const layouts::DiffResult &result) {
  static constexpr std::pair<Move, const char *> kClasses[] = {{Move::None, "stay"},
                                                               {Move::SameThread, "change the register of their lane"},
                                                               {Move::SameWarp, "go to another lane of their warp"},
                                                               {Move::OtherWarp, "go to another warp"},
                                                               {Move::OtherByte, "lie at another byte"},
                                                               {Move::Absent, "are in one of the layouts only"}};
  std::vector<std::string> parts;
  for (auto [move, words] : kClasses)
    if (int64_t count = result.count(move))
      parts.push_back(text(count, " ", words));
  return "Of the elements, " + listed(parts) + ".";
}

std::string relayoutWords(const layouts::RelayoutReport &report, const layouts::Layout &from) {
  layouts::Verdict verdict = layouts::verdictOn(report, from);
  return text("A relayout ", verdict.good ? "is " : "", verdict.sentence, ".");
}

} // namespace

Comparison compareInWords(const layouts::Layout &from, const layouts::Layout &to, const layouts::Shape &shape,
                          int bitwidth, std::optional<layouts::Memory> memory) {
  Comparison out;
  auto failed = [&](std::string_view what, const Diagnostics &why) {
    out.sentences.push_back(text(what, why.empty() ? "" : why.front().message, "."));
  };
  auto same = layouts::equal(from, to, shape, bitwidth, memory);
  if (!same) {
    failed("The two cannot be compared: ", same.error());
    return out;
  }
  out.equal = same->exact;
  out.sentences.push_back(equalityWords(*same, shape));
  if (same->exact)
    return out;
  if (same->memory == layouts::Memory::Registers) { // the cost comes before the details
    if (auto report = layouts::relayout(from, to, shape, bitwidth))
      out.sentences.push_back(relayoutWords(*report, from));
    else
      failed("No relayout: ", report.error());
  }
  if (auto changes = layouts::diff(from, to, shape, bitwidth, memory))
    out.sentences.push_back(diffWords(*changes));
  if (same->counterexample)
    out.sentences.push_back(firstWords(*same));
  return out;
}

} // namespace lanescope::viz
