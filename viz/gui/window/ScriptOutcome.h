// Finds out whether a command of a script has failed, after the command's work is done. A user would see the failure in
// the window.
//
//   std::string why = failureOf(command, next, workspace);   // empty if it did not fail
#pragma once

#include "viz/gui/window/Script.h"
#include "viz/gui/window/WindowWorkspace.h"

namespace lanescope::viz {

/// The warp of `focus [DEVICE] BLOCK WARP`. Nothing if the launch has no such warp.
std::optional<core::WarpRef> warpOf(const ScriptCommand &command, const core::Launch &launch);

/// True if the command fills a field of the layout view.
bool fillsField(const ScriptCommand &command);

/// The reason why the command failed. Empty if it did not fail. `next` is the command after it; null at the end of the
/// script.
///
/// If `next` is an `expect` about a field, a stop, a value or a parameter, it checks the window's text itself, and
/// failureOf() checks nothing. If several consecutive commands fill fields of the layout view, only the last one is
/// checked, because in between, a layout need not fit the old shape.
std::string failureOf(const ScriptCommand &command, const ScriptCommand *next, const Workspace &workspace);

} // namespace lanescope::viz
