// Converts snippet text to a syntax tree, with as many separate syntax errors as possible.
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

/// Parses a whole file or entry.
Parsed parse(const SourceRef &source);
/// Parses each top-level statement separately, in order, for a text that is run entry by entry.
std::vector<Parsed> parseEntries(const SourceRef &source);
/// Parses a text that is one expression, which becomes the module's only statement.
Result<ModuleRef> parseExpression(const SourceRef &source);
/// True if an interactive entry needs more lines: an open bracket or string, a `\` at the end, or an indented block
/// without a blank line after it.
bool isIncomplete(std::string_view text);

} // namespace lanescope::repl
