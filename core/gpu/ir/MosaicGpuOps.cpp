// Verifiers of the `mosaic_gpu` operations. One rule, one message; lit cases in tests/lit/ir/invalid.mlir.
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/MatrixProducts.h"
#include "core/gpu/ir/MosaicGpu.h"

#include "layouts/Catalogue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallSet.h"

namespace lanescope::core::mosaic_gpu {
namespace catalogue = layouts::catalogue; // for the layout rules
} // namespace lanescope::core::mosaic_gpu

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuOps.cpp.inc"

namespace lanescope::core::mosaic_gpu {

using mlir::failure;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;
using mlir::VectorType;

//===------------------------------------ asynchronous copies -----------------------------------------------------===//

/// Rules that loads and stores share. `global` is sliced by indices and lengths; `shared` holds the slice, or half of
/// it along the dimension `halved`.
static LogicalResult checkCopy(mlir::Operation *op, MemRefType global, MemRefType shared, mlir::OperandRange indices,
                               llvm::ArrayRef<int64_t> lengths, std::optional<int64_t> halved = std::nullopt) {
  if (!isGlobalMemory(global))
    return op->emitOpError("expects the sliced reference in global memory, got ") << global;
  if (!isSharedMemory(shared))
    return op->emitOpError("expects the other reference in shared memory, got ") << shared;
  if (global.getElementType() != shared.getElementType())
    return op->emitOpError("copies between element types ")
           << global.getElementType() << " and " << shared.getElementType() << ", expected equal ones";
  if (static_cast<int64_t>(lengths.size()) != global.getRank())
    return op->emitOpError("has ") << lengths.size() << " slice lengths for a reference of rank " << global.getRank();
  if (indices.size() != lengths.size())
    return op->emitOpError("has ") << indices.size() << " indices and " << lengths.size() << " slice lengths";

  llvm::SmallVector<int64_t> slice;
  bool gathered = false;
  for (auto [index, length] : llvm::zip(indices, lengths)) {
    if (length < -1)
      return op->emitOpError("has the slice length ") << length << ", expected a length, or -1 for a single index";
    if (length != -1)
      slice.push_back(length);
    auto rows = mlir::dyn_cast<VectorType>(index.getType());
    if (!rows)
      continue;
    if (gathered)
      return op->emitOpError("gathers along two dimensions, expected one index vector at most");
    gathered = true;
    if (rows.getDimSize(0) != length)
      return op->emitOpError("gathers ") << rows.getDimSize(0) << " rows with a slice length of " << length;
  }
  if (static_cast<int64_t>(slice.size()) != shared.getRank())
    return op->emitOpError("takes a slice of rank ")
           << slice.size() << " but the reference in shared memory has rank " << shared.getRank();
  if (halved) {
    if (*halved < 0 || *halved >= static_cast<int64_t>(slice.size()))
      return op->emitOpError("is partitioned along dimension ") << *halved << " of a slice of rank " << slice.size();
    if (slice[*halved] % 2 != 0)
      return op->emitOpError("is partitioned along a dimension of size ") << slice[*halved] << ", expected an even one";
    slice[*halved] /= 2;
  }
  if (llvm::ArrayRef(slice) != shared.getShape()) {
    auto problem = op->emitOpError("takes a slice of shape (");
    llvm::interleaveComma(slice, problem);
    problem << ") but the reference in shared memory has shape (";
    llvm::interleaveComma(shared.getShape(), problem);
    return problem << ")";
  }
  return success();
}

LogicalResult AsyncLoadOp::verify() {
  if (mlir::Attribute tracked = getLeaderTrackedAttr())
    if (!mlir::isa<CopyReplicatedAttr, CopyPartitionedAttr>(tracked))
      return emitOpError("`leader_tracked` is `copy_replicated` or `copy_partitioned`, got ") << tracked;
  llvm::SmallSet<int64_t, 3> dims;
  for (mlir::Attribute dim : getCollective())
    if (!dims.insert(mlir::cast<mlir::IntegerAttr>(dim).getInt()).second)
      return emitOpError("lists a cluster dimension twice in `collective`");
  std::optional<int64_t> halved;
  if (auto partitioned = mlir::dyn_cast_or_null<CopyPartitionedAttr>(getLeaderTrackedAttr()))
    halved = partitioned.getAxis();
  return checkCopy(*this, mlir::cast<MemRefType>(getSource().getType()),
                   mlir::cast<MemRefType>(getDestination().getType()), getIndices(), getSliceLengths(), halved);
}

LogicalResult AsyncStoreOp::verify() {
  if (getGmemPeerId() && getIsGlobalBroadcast())
    return emitOpError("stores to one peer and to all of them, expected `gmem_peer_id` or `is_global_broadcast`");
  return checkCopy(*this, mlir::cast<MemRefType>(getDestination().getType()),
                   mlir::cast<MemRefType>(getSource().getType()), getIndices(), getSliceLengths());
}

//===------------------------------------ loads and stores --------------------------------------------------------===//

static LogicalResult checkAccess(mlir::Operation *op, VectorType array, MemRefType ref) {
  if (array.getElementType() != ref.getElementType())
    return op->emitOpError("has an array of ")
           << array.getElementType() << " and a reference of " << ref.getElementType();
  if (array.getShape() != ref.getShape())
    return op->emitOpError("has an array of type ")
           << array << " and a reference of type " << ref << ", expected equal shapes";
  return success();
}

LogicalResult VectorLoadOp::verify() {
  return checkAccess(*this, getResult().getType(), mlir::cast<MemRefType>(getSource().getType()));
}

LogicalResult VectorStoreOp::verify() {
  auto ref = mlir::cast<MemRefType>(getDestination().getType());
  if (getMultimem() && !isGlobalMemory(ref))
    return emitOpError("a multimem store writes global memory, got ") << ref;
  return checkAccess(*this, mlir::cast<VectorType>(getValue().getType()), ref);
}

LogicalResult SliceSmemOp::verify() {
  auto ref = mlir::cast<MemRefType>(getResult().getType());
  if (!isSharedMemory(ref))
    return emitOpError("gives a reference in shared memory, got ") << ref;
  if (!ref.hasStaticShape())
    return emitOpError("needs a static shape, got ") << ref;
  return success();
}

LogicalResult WithTransformsOp::verify() {
  auto ref = mlir::cast<MemRefType>(getRef().getType());
  if (!isSharedMemory(ref))
    return emitOpError("transforms references in shared memory, got ") << ref;
  auto transforms = toTransforms(getTransforms());
  if (!transforms)
    return emitOpError(transforms.error().front().message);
  if (!transforms->tiling)
    return success();
  const layouts::Shape &tile = *transforms->tiling;
  if (static_cast<int64_t>(tile.size()) > ref.getRank())
    return emitOpError("tiles ") << tile.size() << " dimensions of a reference of rank " << ref.getRank();
  for (auto [size, length] : llvm::zip(ref.getShape().take_back(tile.size()), tile))
    if (size % length != 0)
      return emitOpError("tiles a dimension of size ") << size << " by " << length << ", which does not divide it";
  return success();
}

//===------------------------------------ arrays ------------------------------------------------------------------===//

LogicalResult LayoutCastOp::verify() {
  auto shape = getX().getType().getShape();
  if (auto strided = mlir::dyn_cast<WGStridedFragLayoutAttr>(getNewLayout()))
    if (strided.getShape().asArrayRef() != shape)
      return emitOpError("casts an array of type ") << getX().getType() << " to a layout of another shape, " << strided;
  if (auto tiled = mlir::dyn_cast<TiledLayoutAttr>(getNewLayout())) {
    auto layout = toLayout(tiled);
    auto registers = std::get<layouts::TiledLayout>(*layout).registersShape(shape.vec());
    if (!registers)
      return emitOpError("cannot give an array of type ")
             << getX().getType() << " this layout: " << registers.error().front().message;
  }
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  VectorType from = getOperand().getType(), to = getResult().getType();
  auto dims = getBroadcastDimensions();
  if (from.getRank() == 0)
    return emitOpError("broadcasts an array of rank 1 or more");
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type from ") << from.getElementType() << " to " << to.getElementType();
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError("has ") << dims.size() << " broadcast dimensions for an array of rank " << from.getRank();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= to.getRank())
      return emitOpError("has the broadcast dimension ") << dims[i] << " for a result of rank " << to.getRank();
    if (i > 0 && dims[i] <= dims[i - 1])
      return emitOpError("has broadcast dimensions that do not increase");
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(dims[i]))
      return emitOpError("spreads a dimension of size ")
             << from.getDimSize(i) << " over one of size " << to.getDimSize(dims[i]) << ", expected 1 or the same size";
  }
  return success();
}

LogicalResult BroadcastedIotaOp::verify() {
  VectorType type = getResult().getType();
  if (getDimension() >= static_cast<uint64_t>(type.getRank()))
    return emitOpError("counts along dimension ") << getDimension() << " of an array of rank " << type.getRank();
  if (!type.getElementType().isIntOrFloat())
    return emitOpError("makes integers or floats, got ") << type.getElementType();
  return success();
}

LogicalResult VectorConcatOp::verify() {
  if (getSources().empty())
    return emitOpError("joins at least one array");
  VectorType to = getResult().getType();
  auto along = static_cast<int64_t>(getDimension());
  if (along >= to.getRank())
    return emitOpError("joins along dimension ") << along << " of arrays of rank " << to.getRank();
  int64_t total = 0;
  for (mlir::Value source : getSources()) {
    auto from = mlir::cast<VectorType>(source.getType());
    if (from.getRank() != to.getRank() || from.getElementType() != to.getElementType())
      return emitOpError("joins ") << from << " to " << to << ", expected equal ranks and element types";
    for (int64_t d = 0; d < to.getRank(); ++d)
      if (d != along && from.getDimSize(d) != to.getDimSize(d))
        return emitOpError("joins ") << from << " to " << to << ", which differ in dimension " << d;
    total += from.getDimSize(along);
  }
  if (total != to.getDimSize(along))
    return emitOpError("joins ") << total << " elements along dimension " << along << " to " << to.getDimSize(along);
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperands().empty())
    return emitOpError("passes on at least one value");
  if (getOperandTypes() != getResultTypes())
    return emitOpError("has results whose types differ from its operands'");
  return success();
}

//===------------------------------------ tensor cores ------------------------------------------------------------===//

LogicalResult WGMMAOp::verify() {
  auto acc = mlir::cast<VectorType>(getAccumulator().getType());
  auto a = mlir::cast<mlir::ShapedType>(getA().getType()), b = mlir::cast<mlir::ShapedType>(getB().getType());
  if (acc != getResult().getType())
    return emitOpError("has a result of type ") << getResult().getType() << " for an accumulator of type " << acc;
  if (a.getDimSize(0) != acc.getDimSize(0))
    return emitOpError("has ") << a.getDimSize(0) << " rows in a and " << acc.getDimSize(0) << " in the accumulator";
  if (a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("has ") << a.getDimSize(1) << " columns in a and " << b.getDimSize(0) << " rows in b";
  if (b.getDimSize(1) != acc.getDimSize(1))
    return emitOpError("has ") << b.getDimSize(1) << " columns in b and " << acc.getDimSize(1) << " in the accumulator";
  return matrixProduct(*this);
}

LogicalResult MMAOp::verify() {
  auto acc = getAccumulator().getType(), a = getA().getType(), b = getB().getType();
  if (acc != getResult().getType())
    return emitOpError("has a result of type ") << getResult().getType() << " for an accumulator of type " << acc;
  if (a.getDimSize(0) != acc.getDimSize(0) || b.getDimSize(1) != acc.getDimSize(1) ||
      a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("multiplies ") << a << " by " << b << " into " << acc << ", whose shapes do not go together";
  if (auto own = catalogue::mmaLayouts(static_cast<int>(a.getElementTypeBitWidth()), rowWarps()); !own)
    return emitOpError(own.error().front().message);
  return matrixProduct(*this);
}

} // namespace lanescope::core::mosaic_gpu
