// All that a kernel declares in tensor memory, side by side as it lies there: 128 lanes by the columns that it takes.
//
//   tmemArraysScene({{"acc", *catalogue::tmemDefault(), {128, 128}, Dtype::F32, 0}, {"p", …, 128}})
//
// A colour per array, darker further down in the array, so that its layout shows: where rows lie side by side, in half
// the lanes, in copies. Cells that several arrays of a union share are striped in their colours.
#pragma once

#include "layouts/TmemArray.h"
#include "viz/scene/LayoutScene.h"

#include <span>

namespace lanescope::viz {

/// `options`: labels, tooltips, limits, theme, wholeMemory. Errors: no array; one that does not fit its layout or the
/// 512 columns; a view or a colouring that is not of such a picture.
Result<Scene> tmemArraysScene(std::span<const layouts::TmemArray> arrays, const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
