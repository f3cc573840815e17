// Tensor memory as a picture: its 128 lanes (rows, in four quarters of 32, one per warp) by the columns that an array
// takes. A 32-bit cell that packs several elements is cut into as many boxes, lowest bits first.
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Errors: those of placement(); View::Smem and other views that a TMEM layout does not have. The element width is that
/// of `dtype`.
Result<Scene> tmemScene(const layouts::Layout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                        const LayoutSceneOptions &options = {});
/// The same for an existing map.
Result<Scene> tmemMapScene(std::shared_ptr<const layouts::TmemMap> map, layouts::Dtype dtype,
                           const LayoutSceneOptions &options, Scene scene = {});

} // namespace lanescope::viz
