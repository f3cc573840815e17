// A shape and dtype to draw a layout at when nobody named one.
//
//   exampleShape(catalogue::wgmma())   ->  (64, 8)
#pragma once

#include "layouts/Layout.h"

namespace lanescope::repl {

/// The catalogue's example for its layouts, else the smallest shape that the layout applies to (for tensor memory: with
/// at least 8 columns where the layout allows it).
layouts::Shape exampleShape(const layouts::Layout &layout);
/// f32; for tensor memory, the float or integer type whose width the layout's packing wants.
layouts::Dtype exampleDtype(const layouts::Layout &layout);

} // namespace lanescope::repl
