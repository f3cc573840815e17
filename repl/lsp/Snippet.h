// A document's text with its syntax, as far as a half-typed text can be parsed.
//
//   auto snippet = readSnippet(Source::make("a.py", "x = (1 +\ny = 2\n"));
//   snippet->problems        `(` is never closed
//   snippet->entries         pass; y = 2: the half-typed line is left out, so that it does not swallow the next one
#pragma once

#include "repl/lang/syntax/Parser.h"

#include <memory>
#include <set>
#include <string>

namespace lanescope::repl::lsp {

struct Snippet {
  SourceRef text;                // the editor's text
  SourceRef code;                // `text` with unreadable lines replaced by `pass`, at the same offsets
  std::vector<Parsed> entries;   // the entries of `code`, in order
  Diagnostics problems;          // syntax errors of `text`
  std::set<std::string> unknown; // names that the lines left out seem to bind

  /// True if [begin, end) contains a syntax error, so that other errors in it are not reported.
  bool broken(uint32_t begin, uint32_t end) const;
};

std::shared_ptr<const Snippet> readSnippet(const SourceRef &text);

/// The bytes of an entry's statements; empty if it has none.
TextRange rangeOf(const Parsed &entry);
/// Every function definition, including nested ones and methods, in order.
std::vector<const FunctionStmt *> functionsOf(const Snippet &snippet);

} // namespace lanescope::repl::lsp
