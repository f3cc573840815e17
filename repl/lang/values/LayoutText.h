// Layouts that a snippet writes as texts, and errors inside such texts.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// Reads a text in any notation, which stands at `argument`. inSnippet gives the places of errors, and of remarks on
/// the reading.
Result<layouts::Layout> layoutOfText(const std::string &written, const Span &argument, Diagnostics *remarks = nullptr);
/// Turns errors in an argument's text into errors of the snippet. If the text is written as a literal, alone or in a
/// tuple (escapes, several lines and adjoining literals included), they point at the exact characters; else at the
/// argument, with the number of the character.
Diagnostics inSnippet(Diagnostics errors, const Span &argument, const std::string &written);

} // namespace lanescope::repl
