// Pictures of how an array's elements move between two register layouts.
//
//   diffScene(from, to)    // the array; a cell's colour shows how far its element travels
//   flowScene(from, to)    // lanes x registers before (left) and after (right); hovering shows source and destination
//
// The classes are those of layouts/Diff.h. In the flow, each place of the second layout has its own class, because it
// is filled from the nearest copy in the first layout. Arrows go from thread to thread. If there are too many, they go
// from a group of lanes to another group, and are wider for more values. The legend explains which of these they are.
#pragma once

#include "layouts/Diff.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// The colour for a class of elements.
Colour moveColour(layouts::Move move);

struct MoveSceneOptions {
  std::string fromName = {}, toName = {}; // for titles; empty: the catalogue's names or the layouts' texts
  bool labels = true, tooltips = true;
  int64_t maxLabelled = 1 << 14, maxCells = 1 << 16;
  int64_t maxArrows = 256; // if more pairs of threads exchange values, arrows join groups of lanes
  layouts::Shape slice = {};
  std::vector<int32_t> selected = {}; // elements whose own paths are drawn in bold
  ColourTheme theme = ColourTheme::Light;
  bool boxes = true;
};

/// Errors: maps of different shapes; a slice outside the shape.
Result<Scene> diffScene(std::shared_ptr<const layouts::ElementMap> from, std::shared_ptr<const layouts::ElementMap> to,
                        const MoveSceneOptions &options = {});
Result<Scene> flowScene(std::shared_ptr<const layouts::ElementMap> from, std::shared_ptr<const layouts::ElementMap> to,
                        const MoveSceneOptions &options = {});

} // namespace lanescope::viz
