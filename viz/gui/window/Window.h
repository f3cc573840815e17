// The window and its loop: GLFW, OpenGL 3 and Dear ImGui around a Workspace.
//
//   SessionHost host(…);                                   // repl/session
//   return runWindow({.files = {"samples/kernels/double.py"}}, host);
//
// It draws when something happens and sleeps otherwise; compiling, running and drawing pictures happen on other
// threads. With a script it works without a person: see docs/gui-script.md.
#pragma once

#include "viz/host/Host.h"

#include <string>
#include <vector>

namespace lanescope::viz {

struct WindowOptions {
  std::vector<std::string> files; // opened one after another at the start
  std::string view;               // a shared view's text, or a layout, to begin with
  std::string script;             // path; the window closes at its end
  std::string screenshot;         // path of a PNG, saved at the end of the script (or, without one, of pending work)
  int width = 1600, height = 1000;
  bool dark = true;
  float scale = 1; // of text and widgets, on top of what the monitor asks for
};

/// Exit status: 0 done; 1 a script or screenshot failed (said on standard error); 3 no display or no OpenGL 3.2.
int runWindow(const WindowOptions &options, Host &host);

} // namespace lanescope::viz
