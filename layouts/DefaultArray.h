// Which array a layout is for: what its text says of it, and what stands in where it says nothing.
//
//   ownShape(parse("tensor<128x64xf16, #ttg.blocked<{…}>>"))  ->  (128, 64)
//   ownShape(catalogue::wgmma())                              ->  nothing: it applies to many
//   exampleShape(catalogue::wgmma())                          ->  (64, 8)
#pragma once

#include "layouts/Dtype.h"
#include "layouts/Layout.h"

namespace lanescope::layouts {

/// The shape that the layout's text names, read as its natural memory; see ownShape() of Reading.h for another.
std::optional<Shape> ownShape(const Layout &layout);
/// Bits of its elements: those that the text names; of tensor memory, those that fill a column as the layout packs it.
std::optional<int> ownBitwidth(const Layout &layout);
/// Its own shape; else the catalogue's example for its layouts, else the smallest shape that it applies to (for tensor
/// memory: with at least 8 columns where it allows that); (64, 64) for other languages. `memory`: how it is read; a
/// plain CuTe layout as (thread, value) is of one row.
Shape exampleShape(const Layout &layout, std::optional<Memory> memory = std::nullopt);
/// The type of its own width by dtypeOfWidth(); f32 where it says none.
Dtype defaultDtype(const Layout &layout);

} // namespace lanescope::layouts
