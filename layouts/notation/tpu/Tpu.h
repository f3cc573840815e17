// Tiled memory layouts of TPUs as JAX's `tpu` dialect prints them.
//
//   #tpu.tiled<(8,128)(2,1),[2,1]>       tiles, first to last; then a stride for each dimension, in first tiles
//   #tpu.tiled<,[256,1]>                 no tiles: strides in elements
//
// Printer: TiledMemoryLayout::text().
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

/// True if the text starts like one; reads nothing.
bool looksLikeTpu(std::string_view text);
Result<Layout> parseTpu(Scanner &in, Diagnostics *remarks);
/// Addresses as one or two levels of tiles. Errors say why they have no such form.
Result<std::string> tpuText(const Placement &placement);

} // namespace lanescope::layouts
