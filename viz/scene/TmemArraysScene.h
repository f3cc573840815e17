// All arrays that a kernel declares in tensor memory, at their places: 128 lanes by the columns that the arrays occupy.
//
//   tmemArraysScene({{"acc", *catalogue::tmemDefault(), {128, 128}, Dtype::F32, 0}, {"p", …, 128}})
//
// Each array has a colour, which is darker for later rows. So the picture shows whether rows are side by side, in half
// the lanes, or in copies. A cell that belongs to several arrays of a union has stripes in their colours.
#pragma once

#include "layouts/TmemArray.h"
#include "viz/scene/LayoutScene.h"

#include <span>

namespace lanescope::viz {

/// `options`: labels, tooltips, limits, theme, wholeMemory. Errors: no array; an array that does not fit its layout or
/// the 512 columns; a view or colouring that this picture does not have.
Result<Scene> tmemArraysScene(std::span<const layouts::TmemArray> arrays, const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
