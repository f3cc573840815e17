// JAX's Python form of layouts, as repr() and sources spell it, and the catalogue's names.
//
//   fa.TiledLayout(fa.Tiling(((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)
//   TMEMLayout(tiling=Tiling(tiles=((128, 2), (32, 2))), warp_dims=(-4,), lane_dims=(-2,), vector_dim=-1)
//   WGStridedFragLayout(shape=(128, 128), vec_size=4)
//   plgpu.Layout.WGMMA.reduce(1)        tmem_half_lane_layout(columns=128, packing=2)
//
// The parser ignores module prefixes, takes arguments by position or keyword, treats tuples and lists alike, and
// removes the `C(…)` of layout-inference errors with a remark. Printer: jaxText().
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

namespace lanescope::layouts {

/// True if the text starts with one of these classes or a name of the catalogue; reads nothing.
bool looksLikeJaxPython(std::string_view text);
Result<Layout> parseJaxPython(Scanner &in, Diagnostics *remarks);
Result<Tiling> parseJaxTiling(Scanner &in);

} // namespace lanescope::layouts
