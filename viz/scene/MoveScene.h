// What becomes of an array's elements between two register layouts, as pictures.
//
//   diffScene(from, to)    // the array; a cell's colour says how far its element travels
//   flowScene(from, to)    // lanes x registers before (left) and after (right); hovering shows source and destination
//
// The classes are those of layouts/Diff.h. In the flow, each place of the second layout is judged by itself: filled
// from the nearest copy in the first. Arrows go from thread to thread; where those would be too many, from group of
// lanes to group of lanes, wider the more values go there. The legend says which.
#pragma once

#include "layouts/Diff.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Fill of a class of elements.
Colour moveColour(layouts::Move move);

struct MoveSceneOptions {
  std::string fromName = {}, toName = {}; // for titles; empty: the catalogue's or the layouts' text
  bool labels = true, tooltips = true;
  int64_t maxLabelled = 1 << 14, maxCells = 1 << 16;
  int64_t maxArrows = 256; // of pairs of threads that values go between; with more, groups of lanes are drawn
  layouts::Shape slice = {};
  std::vector<int32_t> selected = {}; // elements whose own ways are drawn, in bold
  ColourTheme theme = ColourTheme::Light;
  bool boxes = true;
};

/// Errors: maps of different shapes; a slice outside the shape.
Result<Scene> diffScene(std::shared_ptr<const layouts::ElementMap> from, std::shared_ptr<const layouts::ElementMap> to,
                        const MoveSceneOptions &options = {});
Result<Scene> flowScene(std::shared_ptr<const layouts::ElementMap> from, std::shared_ptr<const layouts::ElementMap> to,
                        const MoveSceneOptions &options = {});

} // namespace lanescope::viz
