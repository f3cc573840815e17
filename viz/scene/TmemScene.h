// Tensor memory as a picture: its 128 lanes (rows, in four quarters of 32, one per warp) by the columns that an array
// occupies. A 32-bit cell that packs several elements is divided into as many boxes, with the lowest bits first.
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Errors: those of placement(), and View::Smem or another view that a TMEM layout does not have. The width of an
/// element is that of `dtype`.
Result<Scene> tmemScene(const layouts::Layout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                        const LayoutSceneOptions &options = {});
/// The same for an existing map.
Result<Scene> tmemMapScene(std::shared_ptr<const layouts::TmemMap> map, layouts::Dtype dtype,
                           const LayoutSceneOptions &options, Scene scene = {});

} // namespace lanescope::viz
