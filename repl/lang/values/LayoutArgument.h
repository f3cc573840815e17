// Layouts that a snippet writes as texts, and errors inside such texts.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// Reads a text in any notation. `argument` is the text's place in the snippet. inSnippet gives the places of errors,
/// and of remarks on the reading.
Result<layouts::Layout> layoutOfText(const std::string &written, const Span &argument, Diagnostics *remarks = nullptr);
/// Turns errors in an argument's text into errors of the snippet. If the text is written as a literal, alone or in a
/// tuple, the errors point at the exact characters. The literal may have escapes and several lines, and may adjoin
/// other literals. Otherwise they point at the argument, with the number of the character.
Diagnostics inSnippet(Diagnostics errors, const Span &argument, const std::string &written);

} // namespace lanescope::repl
