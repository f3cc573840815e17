// A TPU's tiled memory as a picture: the array, each element with its tile and word, padding around it; or the memory,
// a row for each vector load of 16 words, by the lanes that it fills.
//
//   tiledMemoryScene(*TiledMemoryLayout::make({{8, 128}}, {2, 1}), {12, 200}, Dtype::F32, {.view = View::Grid})
#pragma once

#include "layouts/tpu/TiledMemoryLayout.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Words of 32 bits that a vector load takes: one for each lane of a vector register. Chips of 8 lanes load halves.
constexpr int kVectorLoadWords = 16;

/// View::Grid and View::Auto: the array; all others: the memory. `scene` brings the title. Errors: the layout does not
/// apply to the shape; elements that do not fill words evenly.
Result<Scene> tiledMemoryScene(const layouts::TiledMemoryLayout &layout, const layouts::Shape &shape,
                               layouts::Dtype dtype, const LayoutSceneOptions &options, Scene scene = {});

} // namespace lanescope::viz
