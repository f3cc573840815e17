#include "repl/check/CoverageSizes.h"

#include "layouts/support/Text.h"
#include "repl/lang/syntax/Lexer.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace lanescope::repl {

namespace {

constexpr int64_t kSmallest = 16, kLargest = 1 << 20; // limits of numbers that may be sizes
constexpr int64_t kSteps = 6;                         // number of larger values to try for each number

using Places = std::vector<TextRange>;

/// The places of each number in the text.
std::map<int64_t, Places> sizesIn(const SourceRef &source) {
  std::map<int64_t, Places> sizes;
  Lexed lexed = lex(source);
  int depth = 0, inside = -1; // nesting of blocks; nesting of the enclosing `def`, or -1
  bool begins = true, skip = false;
  for (const Token &token : lexed.tokens) {
    depth += token.kind == TokenKind::Indent;
    depth -= token.kind == TokenKind::Dedent;
    if (token.kind == TokenKind::Indent || token.kind == TokenKind::Dedent)
      continue;
    if (begins) {
      if (inside >= 0 && depth <= inside)
        inside = -1;
      skip = token.is("@") || token.is("def");
      if (token.is("def") && inside < 0)
        inside = depth;
    }
    begins = token.kind == TokenKind::Newline;
    bool size = token.kind == TokenKind::Int && token.integer >= kSmallest && token.integer <= kLargest;
    if (size && !skip && inside < 0)
      sizes[token.integer].push_back(token.range);
  }
  return sizes;
}

SourceRef withSize(const SourceRef &source, const Places &places, int64_t size) {
  std::string text = source->text();
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    text.replace(place->begin, place->end - place->begin, std::to_string(size));
  return Source::make(source->name(), std::move(text));
}

/// True if the changed snippet still has the gap: one of the same kind in the same line.
bool open(const Diagnostics &gaps, const Diagnostic &gap) {
  auto lineOf = [](const Span &span) { return span.source ? span.source->lineColumn(span.begin).line : 0; };
  return std::ranges::any_of(
      gaps, [&](const Diagnostic &other) { return other.kind == gap.kind && lineOf(other.span) == lineOf(gap.span); });
}

} // namespace

SizeSearch searchSizes(const SourceRef &source, const Diagnostics &gaps,
                       const std::function<Result<Diagnostics>(const SourceRef &)> &run, double seconds) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  SizeSearch search;
  std::vector<bool> closed(gaps.size());
  // Try each number's nearest size first, then the next ones.
  std::map<int64_t, Places> sizes = sizesIn(source);
  for (int64_t step = 0; step <= kSteps && !std::ranges::all_of(closed, std::identity()); ++step)
    for (const auto &[size, places] : sizes) {
      // The size of step 0 is much smaller: with fewer blocks, each block does several rounds.
      int64_t other =
          // Steps of the size's largest factor that is a power of two, usually a tile's size.
          step ? size + step * (size & -size) : size / 16;
      if (other < 1)
        continue;
      if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) {
        search.outOfTime = true;
        return search;
      }
      ++search.tried;
      Result<Diagnostics> left = run(withSize(source, places, other));
      if (!left)
        continue;
      SizeProposal proposal{.from = size, .to = other, .place = {source, places[0].begin, places[0].end}};
      for (size_t n = 0; n < gaps.size(); ++n)
        if (!closed[n] && !open(*left, gaps[n])) {
          closed[n] = true;
          proposal.gaps.push_back(n);
        }
      if (!proposal.gaps.empty())
        search.proposals.push_back(std::move(proposal));
    }
  return search;
}

} // namespace lanescope::repl
