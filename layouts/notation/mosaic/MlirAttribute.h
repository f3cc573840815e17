// The layout attributes of JAX's mosaic_gpu dialect.
//
//   #mosaic_gpu.TiledLayout<[[8], [2]], warp_dims = [#mosaic_gpu.Replicated<times = 4>],
//                           lane_dims = [#mosaic_gpu.Replicated<times = 8>, -2], vector_dim = -1>
//   #mosaic_gpu.WGStridedFragLayout<[128, 8], 4>        #mosaic_gpu.WGSplatFragLayout<[]>
//
// Also read: elements with a type (`64 : i64`), the wrapper `#mosaic_gpu<TiledLayout<…>>`, and the older scalar
// `warp_dim = -8`. A tensor-memory layout has the same text; parseTmemLayout() takes it as one. Printer: mlirText().
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

namespace lanescope::layouts {

Result<Layout> parseMlirAttribute(Scanner &in, Diagnostics *remarks);

} // namespace lanescope::layouts
