// show(): what a value looks like, as data for a window and as text for a terminal.
//
//   auto shown = *toShown(Value(catalogue::wgmma()));       // a ShownView of (64, 8)
//   *shownText(shown, {.width = 100})                       // the grid
//
// A new kind of thing to show is one more alternative of Shown, a line in toShown() and an overload in Show.cpp.
#pragma once

#include "repl/lang/values/Builtin.h"
#include "repl/session/Shown.h"
#include "viz/export/TerminalText.h"

#include <functional>
#include <optional>

namespace lanescope::repl {

/// The picture of a value by itself: layouts and maps at their own or a small fitting shape. Nothing for values that
/// are no pictures.
std::optional<Shown> toShown(const Value &value);

/// The picture as text; ends with a newline. Errors (without a place): the layout does not apply to the shape.
Result<std::string> shownText(const Shown &shown, const viz::TerminalOptions &terminal);

/// What show() does with the result: a picture, or the value as the REPL writes it.
struct ShowSink {
  std::function<void(const Shown &shown, const std::string &text)> picture;
  std::function<void(const Value &value)> value;
  std::function<viz::TerminalOptions()> terminal;
};
/// The builtin `show`.
Builtin showBuiltin(ShowSink sink);
/// The builtin `view`: a picture by the text that the window and the command line read too.
Builtin viewBuiltin(ShowSink sink);

} // namespace lanescope::repl
