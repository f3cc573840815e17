// A Python program that is open, as a bar over the view: it asks to be trusted; of one that runs or has run, which
// kernel the views show.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/host/Host.h"

#include <optional>

namespace lanescope::viz {

/// The bar's text; empty where a program has at most one kernel.
std::string programWords(const ProgramState &program);
/// Whether there is a program, and it asks.
bool asks(const std::optional<ProgramState> &program);
/// Nothing is drawn where there is nothing to choose.
void drawProgram(const ProgramState &program, Host &host, const Theme &theme);

} // namespace lanescope::viz
