#include "core/gpu/inference/Transforms.h"

#include "core/gpu/inference/Layouts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lanescope::core {

using namespace mlir;

static bool hasTransforms(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isSharedMemory(memref) && !isa<mosaic_gpu::BarrierType>(memref.getElementType());
}

/// The tile names the last dimensions; a permutation that mixes them with others keeps no tile.
static RefTransforms transposedBy(const RefTransforms &from, memref::TransposeOp op) {
  RefTransforms to = from;
  unsigned rank = op.getPermutation().getNumResults();
  if (from.transforms.tiling) {
    size_t tiled = from.transforms.tiling->size(), leading = rank - tiled;
    for (size_t i = 0; i < tiled; ++i) {
      unsigned source = op.getPermutation().getDimPosition(leading + i);
      if (source < leading) {
        to.transforms.tiling.reset();
        break;
      }
      (*to.transforms.tiling)[i] = (*from.transforms.tiling)[source - leading];
    }
  }
  if (op.getPermutation().getDimPosition(rank - 1) != rank - 1)
    to.transposed = !from.transposed;
  return to;
}

/// A reshape keeps the tile when it leaves the tiled dimensions as they are.
static RefTransforms reshapedBy(const RefTransforms &from, Operation *op) {
  RefTransforms to = from;
  if (!from.transforms.tiling)
    return to;
  auto source = cast<MemRefType>(op->getOperand(0).getType()).getShape();
  auto result = cast<MemRefType>(op->getResult(0).getType()).getShape();
  size_t tiled = from.transforms.tiling->size();
  if (result.size() < tiled || source.take_back(tiled) != result.take_back(tiled))
    to.transforms.tiling.reset();
  return to;
}

TransformMap propagateTransforms(Operation *root) {
  TransformMap map;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults()) {
      if (!hasTransforms(result.getType()))
        continue;
      RefTransforms own;
      if (auto with = dyn_cast<mosaic_gpu::WithTransformsOp>(op)) {
        if (auto transforms = toTransforms(with.getTransforms()))
          own.transforms = *transforms;
      } else if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
        own = transposedBy(map.lookup(transpose.getIn()), transpose);
      } else if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op)) {
        own = reshapedBy(map.lookup(op->getOperand(0)), op);
      } else if (op->getNumOperands() > 0) {
        own = map.lookup(op->getOperand(0)); // slices and casts
      }
      map[result] = std::move(own);
    }
  });
  return map;
}

void annotateTransforms(Operation *root, const TransformMap &map) {
  root->walk([&](Operation *op) {
    auto annotate = [&](ValueRange values, llvm::StringRef name) {
      SmallVector<Attribute> entries;
      for (Value value : values)
        if (auto found = map.find(value); found != map.end())
          entries.push_back(toAttribute(op->getContext(), found->second.transforms));
      if (!entries.empty())
        op->setAttr(name, ArrayAttr::get(op->getContext(), entries));
    };
    annotate(op->getOperands(), kInTransforms);
    annotate(op->getResults(), kOutTransforms);
  });
}

} // namespace lanescope::core
