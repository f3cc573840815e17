// What importers do with a tiled layout that parsed: validate, canonicalise, and say so. Private to notation/.
#pragma once

#include "layouts/notation/text/Scanner.h"
#include "layouts/RegisterLayout.h"

namespace lanescope::layouts {

/// `begin`: where the layout's text starts; the place of validation errors and of the remark.
Result<TiledLayout> readTiled(const Scanner &in, uint32_t begin, Tiling tiling, std::vector<PartitionDim> warpDims,
                              std::vector<PartitionDim> laneDims, int64_t vectorDim, Diagnostics *remarks);

} // namespace lanescope::layouts
