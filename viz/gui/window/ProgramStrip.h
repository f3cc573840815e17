// A bar over the view for an open Python program. It asks the user to trust the program. After the program has started,
// it offers a choice of the kernel that the views show.
#pragma once

#include "viz/gui/style/Theme.h"
#include "viz/host/Host.h"

#include <optional>

namespace lanescope::viz {

/// The bar's text; empty if the program has at most one kernel.
std::string programWords(const ProgramState &program);
/// True if there is a program and it needs the user's trust.
bool asks(const std::optional<ProgramState> &program);
/// Draws the bar; nothing if there is nothing to choose.
void drawProgram(const ProgramState &program, Host &host, const Theme &theme);

} // namespace lanescope::viz
