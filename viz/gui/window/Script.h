// The small language that drives the window without a user: one command per line; `#` starts a comment.
//
//   open samples/kernels/double.py
//   view layout
//   shape 64x16
//   hover 9 2
//   screenshot layout.png
//
// parseScript checks all commands before the first one runs. ScriptRunner performs the commands in order and waits for
// pending work before each one. docs/gui-script.md describes each command.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

struct ScriptCommand {
  std::string name;
  std::vector<std::string> words; // the arguments
  std::string rest;               // the arguments as one text, with the original blanks
  Span span;
};

Result<std::vector<ScriptCommand>> parseScript(SourceRef script);

/// A finite number that spans the whole word; empty otherwise.
std::optional<double> parseNumber(std::string_view word);

struct ScriptHelp {
  const char *name, *arguments, *about;
};
/// All commands, for documentation and error messages.
const std::vector<ScriptHelp> &scriptCommands();

} // namespace lanescope::viz
