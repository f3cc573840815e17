// A document's text, and the syntax of those parts that can be parsed while the user types.
//
//   auto snippet = readSnippet(Source::make("a.py", "x = (1 +\ny = 2\n"));
//   snippet->problems        `(` is never closed
//   snippet->entries         pass; y = 2: the half-typed line is replaced, so that its bracket does not contain the
//   next line
#pragma once

#include "repl/lang/syntax/Parser.h"

#include <memory>
#include <set>
#include <string>

namespace lanescope::repl::lsp {

struct Snippet {
  SourceRef text;                // the editor's text
  SourceRef code;                // `text` with `pass` in place of unreadable lines, so that all offsets stay
  std::vector<Parsed> entries;   // the entries of `code`, in order
  Diagnostics problems;          // syntax errors of `text`
  std::set<std::string> unknown; // names that the replaced lines seem to bind

  /// True if [begin, end) contains a syntax error, so that other errors in it are not reported.
  bool broken(uint32_t begin, uint32_t end) const;
};

std::shared_ptr<const Snippet> readSnippet(const SourceRef &text);

/// The bytes of an entry's statements; empty if the entry has no statement.
TextRange rangeOf(const Parsed &entry);
/// Every function definition, including nested ones and methods, in order.
std::vector<const FunctionStmt *> functionsOf(const Snippet &snippet);

} // namespace lanescope::repl::lsp
