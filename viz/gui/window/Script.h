// The small language that drives the window without a person: one command a line, `#` starts a comment.
//
//   open samples/kernels/double.py
//   view layout
//   shape 64x16
//   hover 9 2
//   screenshot layout.png
//
// parseScript checks everything before the first command runs; ScriptRunner performs one command after another and
// waits for pending work in between. docs/gui-script.md describes each command.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct ScriptCommand {
  std::string name;
  std::vector<std::string> words; // its arguments
  std::string rest;               // the same as one text, blanks as written
  Span span;
};

Result<std::vector<ScriptCommand>> parseScript(SourceRef script);

/// A finite number, all of the word; nothing otherwise.
std::optional<double> parseNumber(std::string_view word);

struct ScriptHelp {
  const char *name, *arguments, *about;
};
/// Every command, for documentation and error messages.
const std::vector<ScriptHelp> &scriptCommands();

} // namespace lanescope::viz
