// The OpenGL functions that the window calls. They are looked up in the current context, so the program is not linked
// with an OpenGL library and starts on machines without one. The library is loaded when a window opens.
#pragma once

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#undef GLFW_INCLUDE_NONE

#include <GL/gl.h>

namespace lanescope::viz {

struct GlFunctions {
  decltype(&glBindTexture) bindTexture = nullptr;
  decltype(&glClear) clear = nullptr;
  decltype(&glClearColor) clearColor = nullptr;
  decltype(&glDeleteTextures) deleteTextures = nullptr;
  decltype(&glGenTextures) genTextures = nullptr;
  decltype(&glPixelStorei) pixelStorei = nullptr;
  decltype(&glReadPixels) readPixels = nullptr;
  decltype(&glTexImage2D) texImage2D = nullptr;
  decltype(&glTexParameteri) texParameteri = nullptr;
  decltype(&glTexSubImage2D) texSubImage2D = nullptr;
  decltype(&glViewport) viewport = nullptr;
};

/// The functions belong to the context that is current at the first call. All windows of the program use the same kind
/// of context.
const GlFunctions &gl();

} // namespace lanescope::viz
