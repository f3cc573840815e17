// The objects that every view draws with, in addition to its own model.
#pragma once

#include "viz/gui/canvas/SceneCanvas.h"
#include "viz/host/Arrangement.h"
#include "viz/host/Host.h"
#include "viz/host/Requests.h"

namespace lanescope::viz {

struct ViewContext {
  Requests &requests;
  Host &host;
  const Theme &theme;
  Textures &textures;
  CanvasPlace &place; // set to the place of the view's own canvas: the trace's bars, a text
  // The side bar beside the view in front, and the shares of its pictures.
  ViewArrangement &arranged;
};

} // namespace lanescope::viz
