// The failure of a script's command, found after its work is done. A user would see it in the window.
//
//   std::string why = failureOf(command, next, workspace);   // empty if it did not fail
#pragma once

#include "viz/gui/window/Script.h"
#include "viz/gui/window/Workspace.h"

namespace lanescope::viz {

/// The warp of `focus [DEVICE] BLOCK WARP`; none: the launch has no such block.
std::optional<core::WarpRef> warpOf(const ScriptCommand &command, const core::Launch &launch);

/// True if the command fills a field of the layout view.
bool fillsField(const ScriptCommand &command);

/// The reason why the command failed; empty if it did not fail. `next` is the following command, null at the script's
/// end. If `next` is an `expect`, it checks the window's text about a field, a stop, a value or a parameter, and
/// failureOf() does not. In a row of commands that fill fields of the layout view, only the last one is checked,
/// because in between a layout need not fit the old shape.
std::string failureOf(const ScriptCommand &command, const ScriptCommand *next, const Workspace &workspace);

} // namespace lanescope::viz
