// An array that is split over devices: which device, then which thread and register, holds each element.
//
//   devicesScene(catalogue::wgmma(), {64, 32}, Dtype::F32, {.names = {"x"}, .sizes = {2}, .along = {{"x"}}})
//       128 rows by 32 columns, of which the upper half is device 0's
//
// The layout and the shape are of one device's part; Box::element counts in it, so that what is chosen here is chosen
// in the pictures of the part, and lights up on every device.
#pragma once

#include "viz/scene/DeviceSplit.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// By default hue is the device and a stronger colour a higher warp; other colourings are those of the part. Errors:
/// those of checkSplit and layoutScene; the layout is not of registers.
Result<Scene> devicesScene(const AnyLayout &layout, const layouts::Shape &part, layouts::Dtype dtype,
                           const DeviceSplit &split, const LayoutSceneOptions &options = {});

} // namespace lanescope::viz
