// What a script's command has not achieved, once the work that it caused is done: a person would see it in the window.
//
//   std::string why = failureOf(command, next, workspace);   // empty: nothing to complain about
#pragma once

#include "viz/gui/window/Script.h"
#include "viz/gui/window/Workspace.h"

namespace lanescope::viz {

/// Whether the command fills a field of the layout view.
bool fillsField(const ScriptCommand &command);

/// `next`: the command behind it, null at the script's end. Where that is an `expect`, what the window says of a field,
/// a stop, a value or a parameter is left to it. Fields of the layout view are judged with the last of a row of them:
/// on the way a layout need not fit the old shape.
std::string failureOf(const ScriptCommand &command, const ScriptCommand *next, const Workspace &workspace);

} // namespace lanescope::viz
