#include "viz/gui/window/GlFunctions.h"

namespace lanescope::viz {

namespace {

template <typename Function> void load(Function &function, const char *name) {
  function = reinterpret_cast<Function>(glfwGetProcAddress(name));
}

GlFunctions loaded() {
  GlFunctions functions;
  load(functions.bindTexture, "glBindTexture");
  load(functions.clear, "glClear");
  load(functions.clearColor, "glClearColor");
  load(functions.deleteTextures, "glDeleteTextures");
  load(functions.genTextures, "glGenTextures");
  load(functions.pixelStorei, "glPixelStorei");
  load(functions.readPixels, "glReadPixels");
  load(functions.texImage2D, "glTexImage2D");
  load(functions.texParameteri, "glTexParameteri");
  load(functions.texSubImage2D, "glTexSubImage2D");
  load(functions.viewport, "glViewport");
  return functions;
}

} // namespace

const GlFunctions &gl() {
  static const GlFunctions functions = loaded();
  return functions;
}

} // namespace lanescope::viz
