// Tiled memory layouts of TPUs as JAX's `tpu` dialect prints them.
//
//   #tpu.tiled<(8,128)(2,1),[2,1]>       tiles, first to last; then each dimension's stride, in units of the first tile
//   #tpu.tiled<,[256,1]>                 no tiles: strides in elements
//
// Printer: TiledMemoryLayout::text().
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

/// True if the text starts like a tiled layout; reads nothing.
bool looksLikeTpu(std::string_view text);
Result<Layout> parseTpu(Scanner &in, Diagnostics *remarks);
/// Writes addresses as one or two levels of tiles. Errors say why they have no such form.
Result<std::string> tpuText(const Placement &placement);

} // namespace lanescope::layouts
