// A TPU's tiled memory as a picture. It shows the array, each element with its tile and word, with padding around it;
// or the memory, with a row for each vector load of 16 words, by the lanes that the load fills.
//
//   tiledMemoryScene(*TiledMemoryLayout::make({{8, 128}}, {2, 1}), {12, 200}, Dtype::F32, {.view = View::Grid})
#pragma once

#include "layouts/tpu/TiledMemoryLayout.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// 32-bit words of a vector load: one for each lane of a vector register. Chips with 8 lanes load halves.
constexpr int kVectorLoadWords = 16;

/// View::Grid and View::Auto show the array, all others the memory. `scene` has the title. Errors: the layout does not
/// apply to the shape; elements that do not fill words evenly.
Result<Scene> tiledMemoryScene(const layouts::TiledMemoryLayout &layout, const layouts::Shape &shape,
                               layouts::Dtype dtype, const LayoutSceneOptions &options, Scene scene = {});

} // namespace lanescope::viz
