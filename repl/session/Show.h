// show(): makes a picture of a value, as data for a window and as text for a terminal.
//
//   auto shown = *toShown(Value(catalogue::wgmma()));       // a ShownView of (64, 8)
//   *shownText(shown, {.width = 100})                       // the grid
//
// To show a new kind of value, add an alternative to Shown, a line to toShown() and an overload in Show.cpp. The values
// of kernels are in ShowKernels.h, so that pages without a compiler can draw the others.
#pragma once

#include "repl/lang/values/Builtin.h"
#include "repl/session/Shown.h"
#include "viz/export/TerminalText.h"

#include <functional>
#include <optional>

namespace lanescope::repl {

/// The picture of a value without further arguments. A layout or map is drawn for its own shape, or for a small shape
/// that fits. Nothing for values without a picture.
std::optional<Shown> toShown(const Value &value);

/// The spec of the picture with its layouts as texts, and with the view that `auto` stands for.
viz::ViewSpec writtenSpec(const ShownView &shown);
/// The picture as text, which ends with a newline. Errors (without a place): the layout does not apply to the shape.
Result<std::string> shownText(const Shown &shown, const viz::TerminalOptions &terminal);

/// The receivers of what show() makes: a picture, or a value that is written as in the REPL.
struct ShowSink {
  std::function<void(const Shown &shown, const std::string &text)> picture;
  std::function<void(const Value &value)> value;
  std::function<viz::TerminalOptions()> terminal;
};
/// The builtin `show`.
Builtin showBuiltin(ShowSink sink);
/// The builtin `view`, which draws a picture from the notation that the window and the command line also read.
Builtin viewBuiltin(ShowSink sink);

} // namespace lanescope::repl
