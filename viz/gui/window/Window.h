// The window and its loop: GLFW, OpenGL 3 and Dear ImGui around a Workspace.
//
//   SessionHost host(…);                                   // repl/session
//   return runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// The window draws when something happens and sleeps otherwise. Compiling, running and drawing pictures happen on other
// threads. With a script it works without a user: see docs/gui-script.md.
#pragma once

#include "viz/host/Host.h"

#include <string>
#include <vector>

namespace lanescope::viz {

struct WindowOptions {
  std::vector<std::string> files; // opened one after another at the start
  std::string view;               // a shared view's text, or a layout, to show first
  std::string script;             // a path; the window closes at the script's end
  // The path of a PNG that is saved at the script's end, or without a script after pending work.
  std::string screenshot;
  int width = 1600, height = 1000;
  bool dark = true;
  float scale = 1; // scale of text and widgets, multiplied by the monitor's
};

/// Returns the exit status: 0 success; 1 a script or a screenshot failed (the error is on standard error); 3 no display
/// or no OpenGL 3.2.
int runWindow(const WindowOptions &options, Host &host);

} // namespace lanescope::viz
