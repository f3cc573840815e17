// What every view draws with, beside its own model.
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
  CanvasPlace &place;        // set to where the view's own canvas is: the trace's bars, a text
  ViewArrangement &arranged; // what stands beside the view in front, and how its pictures share their room
};

} // namespace lanescope::viz
