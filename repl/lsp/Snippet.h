// The text of a document with its syntax, as far as it can be read while someone types.
//
//   auto snippet = readSnippet(Source::make("a.py", "x = (1 +\ny = 2\n"));
//   snippet->problems        `(` is never closed
//   snippet->entries         pass; y = 2: what a half-typed line would swallow is read without that line
#pragma once

#include "repl/lang/syntax/Parser.h"

#include <memory>
#include <set>
#include <string>

namespace lanescope::repl::lsp {

struct Snippet {
  SourceRef text; // as the editor has it
  SourceRef code; // the same, but that lines of which nothing can be made are `pass`: offsets are those of `text`
  std::vector<Parsed> entries;   // of `code`, in order
  Diagnostics problems;          // syntax errors of `text`
  std::set<std::string> unknown; // names that lines left out seem to bind

  /// Whether nothing is said of what happens in [begin, end): there is a syntax error in it.
  bool broken(uint32_t begin, uint32_t end) const;
};

std::shared_ptr<const Snippet> readSnippet(const SourceRef &text);

/// The bytes of an entry's statements; empty without one.
TextRange rangeOf(const Parsed &entry);
/// Every function definition, those within others and within classes too, in order.
std::vector<const FunctionStmt *> functionsOf(const Snippet &snippet);

} // namespace lanescope::repl::lsp
