// The window and its loop: GLFW, OpenGL 3 and Dear ImGui around a Workspace.
//
//   SessionHost host(…);                                   // repl/workbench
//   return runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// The window draws when something happens, and sleeps otherwise. Other threads compile, run and draw pictures. With a
// script, the window works without a user (docs/gui-script.md).
#pragma once

#include "core/data/Json.h"
#include "viz/host/Host.h"

#include <string>
#include <vector>

namespace lanescope::viz {

struct WindowOptions {
  std::vector<std::string> files; // these are opened one after another at the start
  std::string view;               // the picture to show first: the text of a shared view, or a layout
  core::Json run;     // the place of a run in the debugger, once the files are open (DebuggerPlace.h); null: none
  std::string script; // a path; the window closes at the end of the script
  // The path of a PNG. It is saved at the end of the script or, without a script, when no work is pending.
  std::string screenshot;
  int width = 1600, height = 1000;
  bool dark = true;
  float scale = 1; // the scale of text and widgets, which is multiplied by the monitor's scale
};

/// Returns the exit status: 0 for success; 1 if a script or a screenshot has failed (the error is on standard error); 3
/// if there is no display or no OpenGL 3.2.
int runWindow(const WindowOptions &options, Host &host);

} // namespace lanescope::viz
