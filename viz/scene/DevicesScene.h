// An array that is split over devices. The picture shows which device, thread and register hold each element.
//
//   devicesScene(catalogue::wgmma(), {64, 32}, Dtype::F32, {.names = {"x"}, .sizes = {2}, .along = {{"x"}}})
//       128 rows by 32 columns, of which the upper half is device 0's
//
// The layout and the shape are those of one device's part. Box::element is an index in the part. So a selection here
// also selects in the pictures of the part, and lights up on every device.
#pragma once

#include "viz/scene/DeviceSplit.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// By default, the hue shows the device, and a stronger colour a higher warp. Other colourings are those of the part.
/// Errors: those of checkSplit and layoutScene, and a layout that is not for registers.
Result<Scene> devicesScene(const AnyLayout &layout, const layouts::Shape &part, layouts::Dtype dtype,
                           const DeviceSplit &split, const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
