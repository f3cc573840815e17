// The tiled memory of a TPU as a picture. One view shows the array: each element has its tile and word, and padding is
// around the array. The other view shows the memory: each vector load of 16 words has a row, and columns are the lanes
// that the load fills.
//
//   tiledMemoryScene(*TiledMemoryLayout::make({{8, 128}}, {2, 1}), {12, 200}, Dtype::F32, {.view = View::Grid})
#pragma once

#include "layouts/tpu/TiledMemoryLayout.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// The number of 32-bit words in a vector load: one for each lane of a vector register. Chips with 8 lanes load halves.
constexpr int kVectorLoadWords = 16;

/// View::Grid and View::Auto show the array, and all other views show the memory. `scene` must have its title. Errors:
/// the layout does not apply to the shape, or elements do not fill words evenly.
Result<Scene> tiledMemoryScene(const layouts::TiledMemoryLayout &layout, const layouts::Shape &shape,
                               layouts::Dtype dtype, const LayoutSceneOptions &options, Scene scene = {});

} // namespace lanescope::viz
