// Converts a workspace to data and back.
#pragma once

#include "viz/gui/window/WindowWorkspace.h"

namespace lanescope::viz {

/// The open files and the state of the views.
WorkspaceState stateOf(Workspace &workspace);
/// Opens the files of the state, and then restores the state of the views. This takes several frames.
void restore(Workspace &workspace, WorkspaceState state);
/// The last part of restore(), after the files are open.
void finishRestoring(Workspace &workspace, const WorkspaceState &state);

} // namespace lanescope::viz
