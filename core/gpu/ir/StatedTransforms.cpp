#include "core/gpu/ir/StatedTransforms.h"

#include "core/gpu/ir/LayoutAttributes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

namespace {

using layouts::Shape;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

/// The one entry of the attribute; nothing where there is none, an error where it is no list of transforms.
mlir::FailureOr<std::optional<SmemTransforms>> stated(mlir::Operation *op, llvm::StringRef name) {
  auto entries = op->getAttrOfType<mlir::ArrayAttr>(name);
  if (!entries || entries.size() != 1)
    return std::optional<SmemTransforms>();
  auto list = mlir::dyn_cast<mlir::ArrayAttr>(entries[0]);
  auto transforms = list ? toTransforms(list) : error("ir", "it is no list");
  if (!transforms)
    return op->emitOpError("has `") << name << "` that are no transforms: " << transforms.error().front().message;
  return std::optional(*transforms);
}

LogicalResult compare(mlir::Operation *op, const Shape &expected, const SmemTransforms &out) {
  if (out.tiling && *out.tiling == expected)
    return success();
  return op->emitOpError("makes the tile ")
         << layouts::tupleText(expected) << " of its operand's, and `out_transforms` says "
         << (out.tiling ? layouts::tupleText(*out.tiling) : std::string("none"));
}

/// Tiled dimensions stay the last ones.
LogicalResult check(mlir::memref::TransposeOp op, const SmemTransforms &in, const SmemTransforms &out) {
  auto rank = static_cast<int64_t>(op.getPermutation().getNumResults());
  int64_t leading = rank - static_cast<int64_t>(in.tiling->size());
  Shape expected;
  for (int64_t i = std::max<int64_t>(leading, 0); i < rank; ++i) {
    int64_t source = op.getPermutation().getDimPosition(i) - leading;
    if (leading < 0 || source < 0)
      return op.emitOpError("mixes tiled dimensions with others");
    expected.push_back((*in.tiling)[source]);
  }
  return compare(op, expected, out);
}

/// Of dimensions that become one, the tile is of those behind: before it are single elements, and behind it whole
/// dimensions.
LogicalResult check(mlir::memref::CollapseShapeOp op, const SmemTransforms &in, const SmemTransforms &out) {
  auto type = mlir::cast<mlir::MemRefType>(op.getSrc().getType());
  int64_t leading = type.getRank() - static_cast<int64_t>(in.tiling->size());
  Shape expected;
  for (const mlir::ReassociationIndices &group : op.getReassociationIndices()) {
    if (group.empty() || group.back() < leading)
      continue;
    int64_t tile = 1;
    for (int64_t d : group) {
      if (d < leading)
        return op.emitOpError("joins tiled dimensions with others");
      int64_t part = (*in.tiling)[d - leading];
      if (tile != 1 && part != type.getDimSize(d))
        return op.emitOpError("joins dimensions whose tile ") << layouts::tupleText(*in.tiling) << " is not contiguous";
      tile *= part;
    }
    expected.push_back(tile);
  }
  return compare(op, expected, out);
}

template <typename View> LogicalResult checkView(View op) {
  auto in = stated(op, "in_transforms"), out = stated(op, "out_transforms");
  if (mlir::failed(in) || mlir::failed(out))
    return failure();
  if (!*in || !*out)
    return success();
  if ((*in)->swizzle != (*out)->swizzle)
    return op.emitOpError("keeps its operand's swizzle of ")
           << (*in)->swizzle << " bytes, and `out_transforms` says " << (*out)->swizzle;
  if (!(*in)->tiling && !(*out)->tiling)
    return success();
  if (!(*in)->tiling)
    return op.emitOpError("has a tile that its operand lacks");
  return check(op, **in, **out);
}

} // namespace

LogicalResult checkStatedTransforms(mlir::ModuleOp module) {
  bool fine = true;
  module.walk([&](mlir::Operation *op) {
    if (auto view = mlir::dyn_cast<mlir::memref::TransposeOp>(op))
      fine &= mlir::succeeded(checkView(view));
    else if (auto view = mlir::dyn_cast<mlir::memref::CollapseShapeOp>(op))
      fine &= mlir::succeeded(checkView(view));
  });
  return success(fine);
}

} // namespace lanescope::core
