// The objects that every view needs for drawing, in addition to its own model.
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
  CanvasPlace &place; // set by the view to the place of its canvas: the bars of a trace, or a text
  // The side bar beside the view in front, and the sizes of its pictures.
  ViewArrangement &arranged;
};

} // namespace lanescope::viz
