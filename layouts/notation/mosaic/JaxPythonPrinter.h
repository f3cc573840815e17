// Writes placements of any language as Mosaic GPU layouts.
//
//   the table of CuTe's SM90 64x64 accumulator  ->  the TiledLayout that JAX calls WGMMA
//
// The table is taken apart into digits (Digits.h). A digit that is spread over warps, lanes or registers becomes one
// cut of the tiling. Registers are numbered in the order of the cuts, so a layout whose registers are not in the order
// of the index has no Mosaic form. Every entry of the table is checked against the result.
#pragma once

#include "layouts/Placement.h"

#include <string>

namespace lanescope::layouts {

/// The tiled or the strided layout that gives the map. Errors ("notation-lossy") say why there is none.
Result<RegisterLayout> mosaicRegisters(const ElementMap &map);
Result<TMEMLayout> mosaicTmem(const TmemMap &map);
/// Tiles, swizzle and transposition for shared memory.
Result<SmemMap> mosaicShared(const AddressMap &map);

/// The placement as `TiledLayout(…)`, `TMEMLayout(…)`, or `smem_map((64, 64), f16, tiling=(8, 64), swizzle=128)`.
Result<std::string> jaxText(const Placement &placement);
/// The placement as `#mosaic_gpu.TiledLayout<…>`, or `[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]`.
Result<std::string> mlirText(const Placement &placement);

} // namespace lanescope::layouts
