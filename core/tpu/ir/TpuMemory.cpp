// Verifiers of the `tpu` operations that load, store and view memory. Each rule has its own message, and a case in
// tests/lit/tpu.
#include "core/tpu/ir/Tpu.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#define GET_OP_CLASSES
#include "core/tpu/ir/TpuOps.cpp.inc"

namespace lanescope::core::tpu {

using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;
using mlir::VectorType;

//===------------------------------------ loads and stores --------------------------------------------------------===//

/// Common checks of loads and stores: `base` is in VMEM and has the vector's element type; masks require 32-bit
/// elements.
static LogicalResult checkAccess(mlir::Operation *op, MemRefType base, VectorType value, bool masked) {
  if (base.getMemorySpace() && !isIn(base, MemorySpace::Vmem))
    return op->emitOpError("expects its reference in VMEM, got ") << base;
  if (base.getElementType() != value.getElementType())
    return op->emitOpError("moves ") << value << " from or to " << base << ", expected the same element type";
  mlir::Type element = value.getElementType();
  if (masked && (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() != 32))
    return op->emitOpError("has a mask for elements of type ") << element << ", which is implemented for 32 bits only";
  return success();
}

static LogicalResult checkLoad(mlir::Operation *op, MemRefType base, VectorType value, mlir::Value mask) {
  if (mlir::failed(checkAccess(op, base, value, bool(mask))))
    return mlir::failure();
  if (mask && mlir::vector::isBroadcastableTo(mask.getType(),
                                              VectorType::get(value.getShape(), mlir::getElementTypeOrSelf(mask))) !=
                  mlir::vector::BroadcastableToResult::Success)
    return op->emitOpError("has a mask ") << mask.getType() << " that does not broadcast to " << value;
  return success();
}

static LogicalResult checkStore(mlir::Operation *op, MemRefType base, VectorType value, mlir::Value mask) {
  if (mlir::failed(checkAccess(op, base, value, bool(mask))))
    return mlir::failure();
  if (mask && mlir::cast<VectorType>(mask.getType()).getShape() != value.getShape())
    return op->emitOpError("has a mask ") << mask.getType() << " for " << value << ", expected the same shape";
  return success();
}

static LogicalResult checkIndices(mlir::Operation *op, MemRefType base, size_t indices) {
  if (static_cast<int64_t>(indices) != base.getRank())
    return op->emitOpError("has ") << indices << " indices for " << base << ", expected " << base.getRank();
  return success();
}

/// Checks that the moved part has the reference's rank, or the rank of the reference's minor dimensions.
static LogicalResult checkStrides(mlir::Operation *op, MemRefType base, llvm::ArrayRef<int32_t> strides) {
  if (strides.empty())
    return success();
  if (static_cast<int64_t>(strides.size()) != base.getRank())
    return op->emitOpError("has ") << strides.size() << " strides for " << base << ", expected " << base.getRank();
  return op->emitOpError("has strides, which are not implemented");
}

LogicalResult VectorLoadOp::verify() {
  auto base = mlir::cast<MemRefType>(getBase().getType());
  if (mlir::failed(checkIndices(*this, base, getIndices().size())) ||
      mlir::failed(checkStrides(*this, base, getStrides())))
    return mlir::failure();
  return checkLoad(*this, base, mlir::cast<VectorType>(getType()), getMask());
}

LogicalResult VectorStoreOp::verify() {
  auto base = mlir::cast<MemRefType>(getBase().getType());
  if (mlir::failed(checkStrides(*this, base, getStrides())) ||
      mlir::failed(checkIndices(*this, base, getIndices().size())))
    return mlir::failure();
  return checkStore(*this, base, mlir::cast<VectorType>(getValueToStore().getType()), getMask());
}

/// Checks that there is one vector of indices for each dimension, with the shape of the value.
static LogicalResult checkIndexVectors(mlir::Operation *op, MemRefType base, VectorType value,
                                       mlir::OperandRange indices) {
  if (static_cast<int64_t>(indices.size()) != base.getRank())
    return op->emitOpError("has ") << indices.size() << " vectors of indices for " << base << ", expected "
                                   << base.getRank();
  for (auto [i, type] : llvm::enumerate(indices.getTypes()))
    if (mlir::cast<VectorType>(type).getShape() != value.getShape())
      return op->emitOpError("has the indices ")
             << type << " (number " << i << ") for " << value << ", expected the same shape";
  return success();
}

LogicalResult VectorLoadIdxOp::verify() {
  auto base = mlir::cast<MemRefType>(getBase().getType());
  auto value = mlir::cast<VectorType>(getType());
  if (mlir::failed(checkIndexVectors(*this, base, value, getIndices())))
    return mlir::failure();
  return checkLoad(*this, base, value, getMask());
}

LogicalResult VectorStoreIdxOp::verify() {
  auto base = mlir::cast<MemRefType>(getBase().getType());
  auto value = mlir::cast<VectorType>(getValueToStore().getType());
  if (value.getRank() != 1)
    return emitOpError("stores vectors of rank 1, not ") << value;
  if (mlir::failed(checkIndexVectors(*this, base, value, getIndices())))
    return mlir::failure();
  return checkStore(*this, base, value, getMask());
}

LogicalResult FetchAndAddSyncOp::verify() {
  auto base = mlir::cast<MemRefType>(getBase().getType());
  if (ownerOf(base).value_or(coreTypeOf(*this)) != CoreType::ScVectorSubcore)
    return emitOpError("adds on vector subcores only, and this memory is another core's");
  return checkIndices(*this, base, getIndices().size());
}

//===------------------------------------ views -------------------------------------------------------------------===//

static bool isTiled(MemRefType type) { return mlir::isa<TiledLayoutAttr>(type.getLayout()); }

/// Checks that a view stays in the memory of its source. Its type may omit the memory.
static LogicalResult checkMemory(mlir::Operation *op, MemRefType source, MemRefType result) {
  if (result.getMemorySpace() && result.getMemorySpace() != source.getMemorySpace())
    return op->emitOpError("goes from ") << source << " to another memory, " << result;
  return success();
}

/// Compares the result's strides, if it has any, with the view's. Dimensions of one element may have any stride, and an
/// unknown offset matches any offset.
static LogicalResult checkStrided(mlir::Operation *op, MemRefType result, llvm::ArrayRef<int64_t> strides,
                                  int64_t offset) {
  auto given = mlir::dyn_cast<mlir::StridedLayoutAttr>(result.getLayout());
  if (!given)
    return success();
  auto known = [](int64_t number) { return !mlir::ShapedType::isDynamic(number); };
  bool same = !known(offset) || !known(given.getOffset()) || offset == given.getOffset();
  for (auto [size, own, wanted] : llvm::zip_equal(result.getShape(), given.getStrides(), strides))
    same &= size == 1 || own == wanted;
  if (!same)
    return op->emitOpError("has a result with the layout ")
           << given << ", expected " << mlir::StridedLayoutAttr::get(op->getContext(), offset, strides);
  return success();
}

/// Checks the layout of a slice. Besides the identity, its type may name only one layout: the one with the strides of
/// the whole.
static LogicalResult checkSliceStrides(MemRefSliceOp op, MemRefType source, MemRefType result) {
  if (!mlir::isa<mlir::StridedLayoutAttr>(result.getLayout()))
    return success();
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (mlir::failed(source.getStridesAndOffset(strides, offset)))
    return op.emitOpError("has a result with strides, but its source has none: ") << source;
  for (auto [stride, index] : llvm::zip_equal(strides, op.getBaseIdx())) {
    std::optional<int64_t> start = mlir::getConstantIntValue(index);
    int64_t step = 0;
    if (mlir::ShapedType::isDynamic(offset) || mlir::ShapedType::isDynamic(stride) || !start ||
        llvm::MulOverflow(*start, stride, step) || llvm::AddOverflow(offset, step, offset))
      offset = mlir::ShapedType::kDynamic;
  }
  return checkStrided(op, result, strides, offset);
}

LogicalResult MemRefSliceOp::verify() {
  auto source = mlir::cast<MemRefType>(getMemRef().getType());
  auto result = mlir::cast<MemRefType>(getType());
  if (!source.hasStaticShape())
    return emitOpError("takes a part of references of static shape only, not of ") << source;
  if (static_cast<int64_t>(getDynamicSizes().size()) != static_cast<int64_t>(result.getNumDynamicDims()))
    return emitOpError("has ") << getDynamicSizes().size() << " sizes for the " << result.getNumDynamicDims()
                               << " dynamic dimensions of " << result;
  if (isIn(source, MemorySpace::SemaphoreMem) && !mlir::isa<SemaphoreType, DMASemaphoreType>(source.getElementType()))
    return emitOpError("expects semaphores in semaphore memory, got ") << source;
  if (static_cast<int64_t>(getBaseIdx().size()) != source.getRank() || result.getRank() != source.getRank())
    return emitOpError("has ") << getBaseIdx().size() << " indices for a part " << result << " of " << source
                               << ", expected one for each dimension and the same rank";
  if (mlir::failed(checkMemory(*this, source, result)))
    return mlir::failure();
  if (isTiled(source) != isTiled(result))
    return emitOpError("goes from ") << source << " to " << result << ", expected both tiled or neither";
  return checkSliceStrides(*this, source, result);
}

LogicalResult MemRefSqueezeOp::verify() {
  auto source = mlir::cast<MemRefType>(getInput().getType());
  auto result = mlir::cast<MemRefType>(getType());
  if (mlir::failed(checkMemory(*this, source, result)))
    return mlir::failure();
  if (source.getElementType() != result.getElementType())
    return emitOpError("changes the element type of ") << source << " to that of " << result;
  auto dropped = squeezedDimensions(source.getShape(), result.getShape());
  if (!dropped)
    return emitOpError("gives ") << result << " from " << source << ", expected some dimensions of size 1 less";
  if (isTiled(source) != isTiled(result))
    return emitOpError("goes from ") << source << " to " << result << ", expected both tiled or neither";
  if (auto tiled = mlir::dyn_cast<TiledLayoutAttr>(source.getLayout()); tiled && !tiled.getTiles().empty()) {
    llvm::ArrayRef<int64_t> tile = tiled.getTiles().front().asArrayRef();
    auto first = static_cast<unsigned>(source.getRank()) - static_cast<unsigned>(tile.size());
    for (unsigned d : *dropped)
      if (d >= first && (tiled.getTiles().size() > 1 || tile[d - first] != 1))
        return emitOpError("drops dimension ") << d << " of " << source << ", which is tiled";
  }
  llvm::SmallVector<int64_t> strides, kept;
  int64_t offset = 0;
  if (mlir::failed(source.getStridesAndOffset(strides, offset)))
    return success();
  for (auto [d, stride] : llvm::enumerate(strides))
    if (!llvm::is_contained(*dropped, d))
      kept.push_back(stride);
  return checkStrided(*this, result, kept, offset);
}

LogicalResult EraseLayoutOp::verify() {
  auto source = mlir::cast<MemRefType>(getInput().getType());
  auto result = mlir::cast<MemRefType>(getType());
  if (mlir::failed(checkMemory(*this, source, result)))
    return mlir::failure();
  if (source.getElementType() != result.getElementType() || source.getShape() != result.getShape())
    return emitOpError("gives ") << result << " from " << source << ", expected the same elements";
  return success();
}

LogicalResult MemRefReshapeOp::verify() {
  auto source = mlir::cast<MemRefType>(getInput().getType());
  auto result = mlir::cast<MemRefType>(getType());
  if (mlir::failed(checkMemory(*this, source, result)))
    return mlir::failure();
  if (source.getRank() < 2 || result.getRank() < 2)
    return emitOpError("of 1-D references is not implemented, got ") << source << " and " << result;
  if (source.getElementType() != result.getElementType())
    return emitOpError("changes the element type of ") << source << " to that of " << result;
  if (!source.hasStaticShape() || !result.hasStaticShape() || source.getNumElements() != result.getNumElements())
    return emitOpError("gives ") << result << " from " << source << ", expected as many elements";
  if (source.getLayout().isIdentity() && result.getLayout().isIdentity())
    return success();
  if (!isTiled(source) || !isTiled(result))
    return emitOpError("takes references with the identity or a tiled layout, got ") << source << " and " << result;
  auto from = mlir::cast<TiledLayoutAttr>(source.getLayout()), to = mlir::cast<TiledLayoutAttr>(result.getLayout());
  if (from.getTiles() != to.getTiles())
    return emitOpError("changes the tiles of ") << source << " to those of " << result;
  if (from.getTiles().empty())
    return success();
  llvm::ArrayRef<int64_t> tile = from.getTiles().front().asArrayRef();
  if (tile.size() != 2)
    return emitOpError("of a layout whose tile is not 2-D is not implemented: ") << source;
  auto contiguous = [](MemRefType type) {
    layouts::TiledMemoryLayout layout = toLayout(mlir::cast<TiledLayoutAttr>(type.getLayout()));
    return layouts::contiguousStrides(layout.tileCounts(type.getShape().vec())) == layout.strides();
  };
  if (!contiguous(source) || !contiguous(result))
    return emitOpError("of tiles with gaps between them is not implemented: ") << source << " to " << result;
  auto lastTwo = [](MemRefType type) { return type.getShape().take_back(2); };
  bool aligned = lastTwo(source)[1] % tile[1] == 0 && lastTwo(result)[1] % tile[1] == 0;
  if (tile[0] == 1 && aligned)
    return success();
  if (lastTwo(source)[1] != lastTwo(result)[1])
    return emitOpError("changes the minor dimension of ") << source << " to that of " << result;
  if (lastTwo(source)[0] != lastTwo(result)[0] &&
      (lastTwo(source)[0] % tile[0] != 0 || lastTwo(result)[0] % tile[0] != 0))
    return emitOpError("cuts a tile of ") << source << ": the second-minor dimensions are no multiples of " << tile[0];
  return success();
}

LogicalResult MemRefBitcastOp::verify() {
  auto source = mlir::cast<MemRefType>(getInput().getType());
  auto result = mlir::cast<MemRefType>(getType());
  if (mlir::failed(checkMemory(*this, source, result)))
    return mlir::failure();
  if (source.getRank() != result.getRank())
    return emitOpError("gives ") << result << " from " << source << ", expected the same rank";
  if (source.getRank() < 2)
    return emitOpError("of 1-D references is not implemented, got ") << source;
  if (!source.getElementType().isIntOrFloat() || !result.getElementType().isIntOrFloat())
    return emitOpError("is for numbers, not from ") << source << " to " << result;
  int64_t from = source.getElementTypeBitWidth(), to = result.getElementTypeBitWidth(), last = source.getRank() - 2;
  for (int64_t d = 0; d < source.getRank(); ++d) {
    int64_t left = source.getDimSize(d), right = result.getDimSize(d);
    bool dynamic = mlir::ShapedType::isDynamic(left) || mlir::ShapedType::isDynamic(right);
    int64_t leftBits = left, rightBits = right;
    bool scaled = d == last && !dynamic;
    if (scaled && (llvm::MulOverflow(left, from, leftBits) || llvm::MulOverflow(right, to, rightBits)))
      return emitOpError("has a dimension of too many bits: ") << source;
    if (leftBits != rightBits)
      return emitOpError("gives ") << result << " from " << source << ", expected "
                                   << (d == last ? "as many bits along" : "the same size of") << " dimension " << d;
  }
  auto tiledResult = mlir::dyn_cast<TiledLayoutAttr>(result.getLayout());
  if (!tiledResult)
    return success();
  auto tiledSource = mlir::dyn_cast<TiledLayoutAttr>(source.getLayout());
  if (!tiledSource)
    return emitOpError("gives the tiled ") << result << " from " << source << ", expected a tiled one too";
  if (tiledSource.getTiles().empty() || tiledResult.getTiles().empty())
    return success();
  auto rowBits = [](TiledLayoutAttr tiled, int64_t bits) {
    return layouts::saturatingMultiply(tiled.getTiles().front()[0], bits);
  };
  if (rowBits(tiledSource, from) != rowBits(tiledResult, to))
    return emitOpError("gives ") << result << " from " << source << ", whose tiles have other rows of bits";
  return success();
}

} // namespace lanescope::core::tpu
