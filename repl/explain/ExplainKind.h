// A kind of diagnostic in words: what is at fault, what to do, an example (layouts/support/kinds, and the checker's
// rules).
//
//   explainKind("unknown-name")   // "unknown-name (an error, The language)\n\n  a name is not defined\n…"
#pragma once

#include "layouts/support/Diagnostic.h"

#include <string>
#include <string_view>

namespace lanescope::repl {

/// Ends with a newline. Error "unknown-name": there is no such kind; it says which may be meant.
Result<std::string> explainKind(std::string_view name);
/// All names, by area.
std::string listKinds();
/// {"kind", "area", "severities", "meaning", "mend", "example": {"form", "input", "message"}}; a rule of the checker
/// has "grade" and "section" instead of "mend". Errors: those of explainKind.
Result<std::string> kindJson(std::string_view name);
/// {"kinds": [those of all that users see]}
std::string kindsJson();

} // namespace lanescope::repl
