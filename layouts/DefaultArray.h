// The array that a layout is for: the one that its text states, or a default.
//
//   ownShape(parse("tensor<128x64xf16, #ttg.blocked<{…}>>"))  ->  (128, 64)
//   ownShape(catalogue::wgmma())                              ->  nothing: it applies to many
//   exampleShape(catalogue::wgmma())                          ->  (64, 8)
#pragma once

#include "layouts/Dtype.h"
#include "layouts/Layout.h"

namespace lanescope::layouts {

/// The shape that the layout's text names, for its natural memory; see ownShape() of Reading.h for another memory.
std::optional<Shape> ownShape(const Layout &layout);
/// Bits per element, as the text states them; for tensor memory, the bits with which the layout's packing fills a
/// column.
std::optional<int> ownBitwidth(const Layout &layout);
/// The layout's own shape; else the catalogue's example, if it is a named layout; else the smallest shape that it
/// applies to (for tensor memory with at least 8 columns, if possible); (64, 64) for other languages. `memory` is how
/// the layout is read: a plain CuTe layout read as (thread, value) gets an array of one row.
Shape exampleShape(const Layout &layout, std::optional<Memory> memory = std::nullopt);
/// The default type for the width that the layout states (dtypeOfWidth()); f32 if it states none.
Dtype defaultDtype(const Layout &layout);

} // namespace lanescope::layouts
