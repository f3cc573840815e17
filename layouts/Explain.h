// Derives the places of an element from its coordinates, step by step.
//
//   explain(catalogue::wgmma(), {64, 64}, 16, {9, 2})
//     tile (64, 8)    9 = 0*64 + 9, 2 = 0*8 + 2        (0, 0, 9, 2)
//     …
//     lane            dim -3 * 4 + dim -2 = 1*4 + 1    5
//     thread          warp * 32 + lane                 5
//
// The last steps always name the places that the maps give. The steps before show how the layout's own language
// computes them (ForeignLayout::explain for languages other than Mosaic's).
#pragma once

#include "layouts/Placement.h"

#include <vector>

namespace lanescope::layouts {

/// `memory`: as for placement(). Errors: the layout does not apply; the index is outside the array.
Result<std::vector<ExplainStep>> explain(const Layout &layout, const Shape &shape, int bitwidth, const Shape &index,
                                         std::optional<Memory> memory = std::nullopt);

} // namespace lanescope::layouts
