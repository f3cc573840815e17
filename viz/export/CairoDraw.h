// Draws a scene's page on a Cairo context, for PNG and PDF.
#pragma once

#include "viz/scene/Page.h"

typedef struct _cairo cairo_t;

namespace lanescope::viz {

void drawPage(cairo_t *cairo, const Scene &scene, const Page &layout);

} // namespace lanescope::viz
