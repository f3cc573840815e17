// Tensor memory as a picture: its 128 lanes (rows, in four quarters of 32: one per warp) by the columns that an array
// takes; a 32-bit cell that packs several elements is cut into as many boxes, lowest bits first.
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Errors: as TMEMLayout::checkType. Element width: that of `dtype`.
Result<Scene> tmemScene(const layouts::TMEMLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                        const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
