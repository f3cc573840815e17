// Layouts that a snippet writes as texts, and errors inside of such texts.
#pragma once

#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// A text in any notation, which stands at `argument`. Errors, and remarks on how it was read, as inSnippet places
/// them.
Result<layouts::Layout> layoutOfText(const std::string &written, const Span &argument, Diagnostics *remarks = nullptr);
/// Errors of a text that an argument holds, as errors of the snippet: under the very characters where the text is
/// written out as a literal, alone or in a tuple (escapes, several lines and adjoining literals included), else at the
/// argument, with the number of the character.
Diagnostics inSnippet(Diagnostics errors, const Span &argument, const std::string &written);

} // namespace lanescope::repl
