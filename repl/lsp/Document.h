// A document as the answers see it: its current text, and the newest analysis, which may be the analysis of an older
// text.
#pragma once

#include "repl/lsp/Analysis.h"
#include "repl/lsp/LspNames.h"
#include "repl/lsp/Positions.h"

namespace lanescope::repl::lsp {

struct Document {
  std::string uri;
  int64_t version = 0;
  std::shared_ptr<const Snippet> snippet; // never null
  Names names;                            // the snippet's names
  std::shared_ptr<const Analysis> known;  // the analysis of this or an older text; never null

  Document(std::string uri, int64_t version, std::string text, std::shared_ptr<const Analysis> known);
  const Source &text() const { return *snippet->text; }
  /// The facts of the analysis with their places in the current text, without facts on changed lines.
  std::vector<ValueFact> values() const;
  std::vector<CostFact> costs() const;
  /// The innermost function definition around a place; null: none.
  const FunctionStmt *functionAt(uint32_t offset) const;
};

/// An edit: `text` replaces the bytes of `range`; without a range it replaces the whole text.
struct TextChange {
  std::optional<PlaceRange> range;
  std::string text;
};
std::string applied(std::string text, const TextChange &change);

} // namespace lanescope::repl::lsp
