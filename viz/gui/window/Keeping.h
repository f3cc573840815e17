// A workspace as data, and back.
#pragma once

#include "viz/gui/window/Workspace.h"

namespace lanescope::viz {

/// What is open and how it looks now.
WorkspaceState stateOf(Workspace &workspace);
/// Opens the state's files, and then makes everything look as it did; takes a few frames.
void restore(Workspace &workspace, WorkspaceState state);
/// The last part of restore(), when the files are open.
void finishRestoring(Workspace &workspace, const WorkspaceState &state);

} // namespace lanescope::viz
