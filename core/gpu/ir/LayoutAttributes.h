// Layout attributes <-> layout values. All computation uses the library's values; attributes write them into the IR.
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
/// Returns nullopt if `attribute` is not a layout.
std::optional<layouts::RegisterLayout> toLayout(mlir::Attribute attribute);

/// The places of the elements of a reference to tensor memory, in the same attribute as for an array in registers.
mosaic_gpu::TiledLayoutAttr toAttribute(mlir::MLIRContext *context, const layouts::TMEMLayout &layout);
/// Returns nullopt if `attribute` is not such a layout.
std::optional<layouts::TMEMLayout> toTmemLayout(mlir::Attribute attribute);

/// The value of a TiledLayout attribute with these fields; errors are those of the attribute's verifier.
Result<layouts::TiledLayout> tiledLayoutFrom(mlir::ArrayAttr tiling, mlir::ArrayAttr warpDims, mlir::ArrayAttr laneDims,
                                             int64_t vectorDim);

/// A shared-memory reference's `transforms` array.
mlir::ArrayAttr toAttribute(mlir::MLIRContext *context, const SmemTransforms &transforms);
/// The array may have a tile, and after it a swizzle. Error if it has anything else.
Result<SmemTransforms> toTransforms(mlir::ArrayAttr transforms);

} // namespace lanescope::core
