// Joins the fills of a grid's boxes. Neighbouring boxes of one colour become one rectangle. So a file of 16,000 cells
// has only a few thousand shapes, grouped by colour.
//
//   for (const auto &[colour, rects] : mergedFills(scene.body.boxes))   // in order of first appearance
#pragma once

#include "viz/scene/Scene.h"

#include <utility>
#include <vector>

namespace lanescope::viz {

using FillRects = std::vector<std::pair<Colour, std::vector<Rect>>>;

/// The boxes must not overlap, and must come row by row (as buildGrid() makes them). Bands are separate rectangles.
FillRects mergedFills(const std::vector<Box> &boxes);
/// The rectangles of the hatched boxes, joined in the same way.
std::vector<Rect> mergedHatches(const std::vector<Box> &boxes);

} // namespace lanescope::viz
