// Layout attributes <-> layout values. The library's values are what everything computes with; attributes are how they
// are written into IR.
//
//   toAttribute(context, catalogue::wgmma())  ->  #mosaic_gpu.TiledLayout<[[64, 8], …], warp_dims = [-7], …>
//   toLayout(attribute)                       ->  the same value again, canonical
#pragma once

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/SmemTransforms.h"

#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include <optional>

namespace lanescope::core {

/// #mosaic_gpu.WGSplatFragLayout, .WGStridedFragLayout or .TiledLayout.
mlir::Attribute toAttribute(mlir::MLIRContext *context, const layouts::RegisterLayout &layout);
/// nullopt when `attribute` is no layout.
std::optional<layouts::RegisterLayout> toLayout(mlir::Attribute attribute);

/// Where the elements of a reference to tensor memory lie: the same attribute as of an array in registers.
mosaic_gpu::TiledLayoutAttr toAttribute(mlir::MLIRContext *context, const layouts::TMEMLayout &layout);
/// nullopt when `attribute` is none.
std::optional<layouts::TMEMLayout> toTmemLayout(mlir::Attribute attribute);

/// The value that a TiledLayout attribute with these fields would have; its errors are the attribute's verifier's.
Result<layouts::TiledLayout> tiledLayoutFrom(mlir::ArrayAttr tiling, mlir::ArrayAttr warpDims, mlir::ArrayAttr laneDims,
                                             int64_t vectorDim);

/// A shared-memory reference's `transforms` array.
mlir::ArrayAttr toAttribute(mlir::MLIRContext *context, const SmemTransforms &transforms);
/// Error when the array holds anything but at most one tile, then at most one swizzle.
Result<SmemTransforms> toTransforms(mlir::ArrayAttr transforms);

} // namespace lanescope::core
