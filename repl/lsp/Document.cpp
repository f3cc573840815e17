#include "repl/lsp/Document.h"

#include "repl/lsp/Positions.h"

namespace lanescope::repl::lsp {

namespace {

template <typename Fact> std::vector<Fact> moved(std::vector<Fact> facts, const Source &before, const Source &now) {
  if (&before == &now)
    return facts;
  LineMap lines(before, now);
  std::vector<Fact> out;
  for (Fact &fact : facts)
    if (auto begin = lines.offset(fact.place.begin)) {
      fact.place = {*begin, *begin + (fact.place.end - fact.place.begin)};
      out.push_back(std::move(fact));
    }
  return out;
}

/// The file's name, for messages.
std::string titleOf(const std::string &uri) { return uri.substr(uri.rfind('/') + 1); }

} // namespace

Document::Document(std::string uri, int64_t version, std::string text, std::shared_ptr<const Analysis> known)
    : uri(std::move(uri)), version(version), snippet(readSnippet(Source::make(titleOf(this->uri), std::move(text)))),
      names(namesOf(*snippet)), known(std::move(known)) {}

std::vector<ValueFact> Document::values() const { return moved(known->values, *known->snippet->text, text()); }
std::vector<CostFact> Document::costs() const { return moved(known->costs, *known->snippet->text, text()); }

const FunctionStmt *Document::functionAt(uint32_t offset) const {
  const FunctionStmt *innermost = nullptr; // outer functions come before inner ones
  for (const FunctionStmt *function : functionsOf(*snippet))
    if (function->range.begin <= offset && offset <= function->range.end)
      innermost = function;
  return innermost;
}

std::string applied(std::string text, const TextChange &change) {
  if (!change.range)
    return change.text;
  Source source("", std::move(text));
  Positions positions(source);
  uint32_t begin = positions.offset(change.range->begin), end = positions.offset(change.range->end);
  end = std::max(begin, end);
  return source.text().substr(0, begin) + change.text + source.text().substr(end);
}

} // namespace lanescope::repl::lsp
