// A document as answers see it: its text now, and the newest analysis, which may be of a slightly older text.
#pragma once

#include "repl/lsp/Analysis.h"
#include "repl/lsp/Names.h"
#include "repl/lsp/Positions.h"

namespace lanescope::repl::lsp {

struct Document {
  std::string uri;
  int64_t version = 0;
  std::shared_ptr<const Snippet> snippet; // never null
  Names names;                            // of it
  std::shared_ptr<const Analysis> known;  // of it or of an older text; never null

  Document(std::string uri, int64_t version, std::string text, std::shared_ptr<const Analysis> known);
  const Source &text() const { return *snippet->text; }
  /// The analysis' facts with their places in the text as it is now; those on changed lines are left out.
  std::vector<ValueFact> values() const;
  std::vector<CostFact> costs() const;
  /// The innermost function definition around a place; null: none.
  const FunctionStmt *functionAt(uint32_t offset) const;
};

/// A change of the editor: the bytes of `range` are replaced; without a range all of the text is.
struct TextChange {
  std::optional<PlaceRange> range;
  std::string text;
};
std::string applied(std::string text, const TextChange &change);

} // namespace lanescope::repl::lsp
