// One self-contained HTML file: pictures, their legends, and a script. Pointing at a cell tells it in words and lights
// up everything that goes with it, in all pictures of the same array; a click (or Enter) keeps the selection, Escape
// lets go; arrow keys move within a picture, Tab goes to the next. No external resources.
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
