// Explains a kind of diagnostic: what is at fault, what to do, and an example. The kinds are those of
// layouts/support/kinds and the checker's rules.
//
//   explainKind("unknown-name")   // "unknown-name (an error, The language)\n\n  a name is not defined\n…"
#pragma once

#include "layouts/support/Diagnostic.h"

#include <string>
#include <string_view>

namespace lanescope::repl {

/// The explanation of a kind, which ends with a newline. Error "unknown-name": there is no such kind; the message
/// suggests similar names.
Result<std::string> explainKind(std::string_view name);
/// A text with the names of all kinds, area by area.
std::string listKinds();
/// A kind as JSON: {"kind", "area", "severities", "meaning", "mend", "example": {"form", "input", "message"}}; a rule
/// of the checker has "grade" and "section" instead of "mend". Errors: those of explainKind.
Result<std::string> kindJson(std::string_view name);
/// {"kinds": […]}, with the entries of kindJson for all kinds that users see.
std::string kindsJson();

} // namespace lanescope::repl
