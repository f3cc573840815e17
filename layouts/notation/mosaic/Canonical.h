// The last steps of importing a tiled layout: validate it, canonicalise it, and add a remark if it changed. Private to
// notation/.
#pragma once

#include "layouts/notation/text/Scanner.h"
#include "layouts/RegisterLayout.h"

namespace lanescope::layouts {

/// `begin` is the place where the layout's text starts. Errors of validation and the remark point at it.
Result<TiledLayout> readTiled(const Scanner &in, uint32_t begin, Tiling tiling, std::vector<PartitionDim> warpDims,
                              std::vector<PartitionDim> laneDims, int64_t vectorDim, Diagnostics *remarks);

} // namespace lanescope::layouts
