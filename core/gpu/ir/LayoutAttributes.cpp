#include "core/gpu/ir/LayoutAttributes.h"

#include "layouts/support/Text.h"

#include "mlir/IR/Builders.h"

namespace lanescope::core {

using layouts::PartitionDim;
using layouts::RegisterLayout;
using layouts::Replicated;
using layouts::Shape;
using layouts::TiledLayout;
using layouts::Tiling;
using layouts::WGSplatFragLayout;
using layouts::WGStridedFragLayout;

namespace {

mlir::ArrayAttr partitionAttribute(mlir::Builder &builder, const std::vector<PartitionDim> &dims) {
  llvm::SmallVector<mlir::Attribute> entries;
  for (const PartitionDim &dim : dims) {
    if (const auto *copies = std::get_if<Replicated>(&dim))
      entries.push_back(mosaic_gpu::ReplicatedAttr::get(builder.getContext(), copies->times));
    else
      entries.push_back(builder.getI64IntegerAttr(std::get<int64_t>(dim)));
  }
  return builder.getArrayAttr(entries);
}

Result<int64_t> integer(mlir::Attribute attribute, std::string_view what) {
  auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(attribute);
  if (!number || number.getValue().getSignificantBits() > 64)
    return error("ir", text("an entry of `", what, "` is not an integer"));
  return number.getValue().getSExtValue();
}

Result<std::vector<PartitionDim>> partition(mlir::ArrayAttr entries, std::string_view what) {
  std::vector<PartitionDim> dims;
  for (mlir::Attribute entry : entries) {
    if (auto copies = mlir::dyn_cast<mosaic_gpu::ReplicatedAttr>(entry)) {
      dims.push_back(Replicated{copies.getTimes()});
      continue;
    }
    auto dim = integer(entry, what);
    if (!dim)
      return std::unexpected(dim.error());
    dims.push_back(*dim);
  }
  return dims;
}

} // namespace

mlir::Attribute toAttribute(mlir::MLIRContext *context, const RegisterLayout &layout) {
  mlir::Builder builder(context);
  if (const auto *splat = std::get_if<WGSplatFragLayout>(&layout))
    return mosaic_gpu::WGSplatFragLayoutAttr::get(context, builder.getDenseI64ArrayAttr(splat->shape));
  if (const auto *strided = std::get_if<WGStridedFragLayout>(&layout))
    return mosaic_gpu::WGStridedFragLayoutAttr::get(context, builder.getDenseI64ArrayAttr(strided->shape()),
                                                    strided->vecSize());
  const TiledLayout &tiled = std::get<TiledLayout>(layout);
  llvm::SmallVector<mlir::Attribute> tiles;
  for (const Shape &tile : tiled.tiling().tiles())
    tiles.push_back(builder.getI64ArrayAttr(tile));
  return mosaic_gpu::TiledLayoutAttr::get(context, builder.getArrayAttr(tiles),
                                          partitionAttribute(builder, tiled.warpDims()),
                                          partitionAttribute(builder, tiled.laneDims()), tiled.vectorDim());
}

std::optional<RegisterLayout> toLayout(mlir::Attribute attribute) {
  if (auto splat = mlir::dyn_cast_or_null<mosaic_gpu::WGSplatFragLayoutAttr>(attribute))
    return WGSplatFragLayout{splat.getShape().asArrayRef().vec()};
  if (auto strided = mlir::dyn_cast_or_null<mosaic_gpu::WGStridedFragLayoutAttr>(attribute)) {
    auto layout = WGStridedFragLayout::make(strided.getShape().asArrayRef().vec(), strided.getVectorSize());
    assert(layout && "the attribute's verifier has checked it");
    return *layout;
  }
  if (auto tiled = mlir::dyn_cast_or_null<mosaic_gpu::TiledLayoutAttr>(attribute)) {
    auto layout = tiledLayoutFrom(tiled.getTiling(), tiled.getWarpDims(), tiled.getLaneDims(), tiled.getVectorDim());
    assert(layout && "the attribute's verifier has checked it");
    return *layout;
  }
  return std::nullopt;
}

mosaic_gpu::TiledLayoutAttr toAttribute(mlir::MLIRContext *context, const layouts::TMEMLayout &layout) {
  return mlir::cast<mosaic_gpu::TiledLayoutAttr>(toAttribute(context, RegisterLayout(layout.tiled())));
}

std::optional<layouts::TMEMLayout> toTmemLayout(mlir::Attribute attribute) {
  if (!mlir::isa_and_nonnull<mosaic_gpu::TiledLayoutAttr>(attribute))
    return std::nullopt;
  return layouts::TMEMLayout(std::get<TiledLayout>(*toLayout(attribute)));
}

Result<TiledLayout> tiledLayoutFrom(mlir::ArrayAttr tiling, mlir::ArrayAttr warpDims, mlir::ArrayAttr laneDims,
                                    int64_t vectorDim) {
  std::vector<Shape> tiles;
  for (mlir::Attribute entry : tiling) {
    auto sizes = mlir::dyn_cast<mlir::ArrayAttr>(entry);
    if (!sizes)
      return error("ir", "an entry of the tiling is not a list of sizes");
    Shape &tile = tiles.emplace_back();
    for (mlir::Attribute size : sizes) {
      auto value = integer(size, "tiling");
      if (!value)
        return std::unexpected(value.error());
      tile.push_back(*value);
    }
  }
  auto made = Tiling::make(std::move(tiles));
  if (!made)
    return std::unexpected(made.error());
  auto warps = partition(warpDims, "warp_dims");
  if (!warps)
    return std::unexpected(warps.error());
  auto lanes = partition(laneDims, "lane_dims");
  if (!lanes)
    return std::unexpected(lanes.error());
  return TiledLayout::makeCanonical(*std::move(made), *std::move(warps), *std::move(lanes), vectorDim);
}

mlir::ArrayAttr toAttribute(mlir::MLIRContext *context, const SmemTransforms &transforms) {
  llvm::SmallVector<mlir::Attribute> entries;
  if (transforms.tiling) {
    llvm::SmallVector<int32_t> sizes(transforms.tiling->begin(), transforms.tiling->end());
    entries.push_back(mosaic_gpu::TileTransformAttr::get(context, mlir::DenseI32ArrayAttr::get(context, sizes)));
  }
  if (transforms.swizzle)
    entries.push_back(mosaic_gpu::SwizzleTransformAttr::get(context, transforms.swizzle));
  return mlir::ArrayAttr::get(context, entries);
}

Result<SmemTransforms> toTransforms(mlir::ArrayAttr transforms) {
  SmemTransforms found;
  for (mlir::Attribute entry : transforms) {
    if (auto tile = mlir::dyn_cast<mosaic_gpu::TileTransformAttr>(entry)) {
      if (found.tiling || found.swizzle)
        return error("ir", "a tiling comes once, before the swizzle");
      found.tiling.emplace(tile.getTiling().asArrayRef().begin(), tile.getTiling().asArrayRef().end());
    } else if (auto swizzle = mlir::dyn_cast<mosaic_gpu::SwizzleTransformAttr>(entry)) {
      if (found.swizzle)
        return error("ir", "the reference is swizzled twice");
      // The attribute writes "not swizzled" as a swizzle of 16 bytes, like the hardware.
      found.swizzle = swizzle.getSwizzle() == 16 ? 0 : swizzle.getSwizzle();
    } else {
      return error("ir", "a transform is neither `#mosaic_gpu.tile` nor `#mosaic_gpu.swizzle`");
    }
  }
  return found;
}

std::string jaxText(const SmemTransforms &transforms) {
  std::vector<std::string> parts;
  if (transforms.tiling)
    parts.push_back(text("TileTransform(tiling=", layouts::tupleText(*transforms.tiling), ")"));
  if (transforms.swizzle)
    parts.push_back(text("SwizzleTransform(swizzle=", transforms.swizzle, ")"));
  return text("[", joined(parts, ", "), "]");
}

} // namespace lanescope::core
