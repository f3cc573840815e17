// One self-contained HTML file with pictures, their legends, and a script: the element <lanescope-layout> of the page
// for browsers (viz/web/page), with drawings in it. If the pointer is on a cell, the page describes the cell in words
// and highlights all linked cells, in all pictures of the same array. A click keeps the selection, and Escape clears
// it. Arrow keys select cells of a picture. There are no external resources.
//
//   toHtml(std::vector<Scene>{registers, sharedMemory})   // a thread's elements light up in both
#pragma once

#include "viz/scene/Scene.h"

#include <span>
#include <string>

namespace lanescope::viz {

std::string toHtml(const Scene &scene);
/// The page has the first scene's title and theme.
std::string toHtml(std::span<const Scene> scenes);

} // namespace lanescope::viz
