// Snippet text to syntax tree, with as many syntax errors as can be told apart.
//
//   Parsed parsed = parse(Source::make("a.py", "x = (1 +\ny = 2\n"));
//   parsed.diagnostics   ->  a.py:1:5: error: `(` is never closed
//   parsed.module->body  ->  the statements that did parse
#pragma once

#include "repl/lang/syntax/Ast.h"

#include <string_view>
#include <vector>

namespace lanescope::repl {

struct Parsed {
  std::shared_ptr<Module> module; // never null
  Diagnostics diagnostics;
};

/// A whole file or entry.
Parsed parse(const SourceRef &source);
/// Each top-level statement by itself (a text that is run entry by entry), in order.
std::vector<Parsed> parseEntries(const SourceRef &source);
/// A text that is one expression: the module's only statement.
Result<ModuleRef> parseExpression(const SourceRef &source);
/// True when an interactive entry wants more lines: an open bracket or string, a `\` at the end, or an indented block
/// that no blank line has ended.
bool isIncomplete(std::string_view text);

} // namespace lanescope::repl
