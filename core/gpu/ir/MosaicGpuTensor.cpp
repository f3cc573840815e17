// Verifiers of the operations on tensor memory. One rule, one message; lit cases in tests/lit/ir/tensor-invalid.mlir.
#include "core/gpu/ir/MosaicGpuTensor.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/TensorProducts.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace lanescope::core::mosaic_gpu {
namespace catalogue = layouts::catalogue; // for the layout rules
} // namespace lanescope::core::mosaic_gpu

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuTensorOps.cpp.inc"

namespace lanescope::core::mosaic_gpu {

using layouts::kTmemCellBits;
using layouts::kTmemColumns;
using layouts::kTmemLanes;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;
using mlir::Value;
using mlir::VectorType;

static MemRefType memrefOf(Value ref) { return mlir::cast<MemRefType>(ref.getType()); }

/// `what`: "the source".
static LogicalResult checkTensor(mlir::Operation *op, Value ref, llvm::StringRef what) {
  MemRefType type = memrefOf(ref);
  if (!isTensorMemory(type))
    return op->emitOpError("has ") << what << " outside of tensor memory: " << type;
  if (type.getRank() != 2 || !type.hasStaticShape())
    return op->emitOpError("takes references of rank 2 with a static shape in tensor memory, got ") << type;
  mlir::Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > kTmemCellBits)
    return op->emitOpError("takes numbers of at most ") << kTmemCellBits << " bits in tensor memory, not " << element;
  return success();
}

//===------------------------------------ allocation --------------------------------------------------------------===//

LogicalResult TmemAllocOp::verify() {
  MemRefType address = memrefOf(getSmemPtr());
  if (!isSharedMemory(address) || address.getRank() != 0 || !address.getElementType().isInteger(32))
    return emitOpError("writes the address to one i32 in shared memory, not to ") << address;
  if (mlir::failed(checkTensor(*this, getResult(), "its result")))
    return mlir::failure();
  MemRefType type = memrefOf(getResult());
  int64_t packing = getPacking(), most = kTmemCellBits / type.getElementTypeBitWidth();
  if (packing != 1 && packing != most)
    return emitOpError("packs one or ") << most << " elements of " << type.getElementType() << " into a cell, not "
                                        << packing;
  int64_t elements = type.getDimSize(1);
  if (elements % packing != 0)
    return emitOpError("packs ") << elements << " columns by " << packing << ", which does not divide them";
  if (elements / packing > kTmemColumns)
    return emitOpError("takes ") << elements / packing << " columns of tensor memory, which has " << kTmemColumns;
  return success();
}

LogicalResult TmemDeallocOp::verify() {
  if (!getTmemRef().getDefiningOp<TmemAllocOp>())
    return emitOpError("gives back what `tmem_alloc` gave, and nothing else");
  return success();
}

//===------------------------------------ references --------------------------------------------------------------===//

LogicalResult SliceTmemOp::verify() {
  constexpr uint32_t kUnit = 4; // columns
  if (mlir::failed(checkTensor(*this, getSource(), "a source")) ||
      mlir::failed(checkTensor(*this, getResult(), "a result")))
    return mlir::failure();
  if (getOffset() % kUnit != 0)
    return emitOpError("begins at column ") << getOffset() << ", expected a multiple of " << kUnit;
  return success();
}

LogicalResult TmemLayoutCastOp::verify() {
  if (mlir::failed(checkTensor(*this, getRef(), "a reference")))
    return mlir::failure();
  MemRefType type = memrefOf(getRef());
  auto fits =
      toTmemLayout(getNewLayout())->checkType(type.getShape().vec(), static_cast<int>(type.getElementTypeBitWidth()));
  if (!fits)
    return emitOpError("gives ") << type << " a layout that does not fit it: " << fits.error().front().message;
  return success();
}

//===------------------------------------ loads, stores and copies ------------------------------------------------===//

static LogicalResult checkAccess(mlir::Operation *op, VectorType array, MemRefType ref) {
  if (array.getElementType() != ref.getElementType() || array.getShape() != ref.getShape())
    return op->emitOpError("moves an array of type ")
           << array << " and a reference of type " << ref << ", expected equal shapes and element types";
  return success();
}

LogicalResult AsyncLoadTmemOp::verify() {
  if (mlir::failed(checkTensor(*this, getSource(), "its source")))
    return mlir::failure();
  VectorType array = getResult().getType();
  if (mlir::failed(checkAccess(*this, array, memrefOf(getSource()))))
    return mlir::failure();
  if (getReduce().has_value() != static_cast<bool>(getReduced()))
    return emitOpError("has a second result exactly when it has `reduce`");
  if (!getReduce())
    return success();
  mlir::Type element = array.getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError("reduces rows of f32 and i32, not of ") << element;
  auto reduced = mlir::cast<VectorType>(getReduced().getType());
  if (reduced.getElementType() != element || reduced.getShape() != array.getShape().drop_back())
    return emitOpError("reduces ") << array << " to " << reduced << ", expected one element of each row";
  return success();
}

LogicalResult AsyncStoreTmemOp::verify() {
  if (mlir::failed(checkTensor(*this, getDestination(), "its destination")))
    return mlir::failure();
  return checkAccess(*this, mlir::cast<VectorType>(getValue().getType()), memrefOf(getDestination()));
}

/// Rules that copies to tensor memory share.
template <typename Op> static LogicalResult checkCopy(Op op, MemRefType &from, MemRefType &to) {
  from = memrefOf(op.getSource()), to = memrefOf(op.getDestination());
  if (!isSharedMemory(from))
    return op.emitOpError("copies from shared memory, not from ") << from;
  if (mlir::failed(checkTensor(op, op.getDestination(), "its destination")))
    return mlir::failure();
  if (from.getElementType() != to.getElementType())
    return op.emitOpError("copies ") << from.getElementType() << " to " << to.getElementType();
  return success();
}

LogicalResult AsyncStoreSmemToTmemOp::verify() {
  MemRefType from, to;
  if (mlir::failed(checkCopy(*this, from, to)))
    return mlir::failure();
  if (from.getShape() != to.getShape())
    return emitOpError("copies ") << from << " to " << to << ", expected equal shapes";
  return success();
}

static LogicalResult checkBlocks(mlir::Operation *op, MemRefType from, MemRefType to, int64_t columns,
                                 llvm::ArrayRef<layouts::Shape> stored) {
  if (to.getDimSize(0) % kTmemLanes != 0 || to.getDimSize(1) % columns != 0)
    return op->emitOpError("fills multiples of ")
           << kTmemLanes << " rows and " << columns << " columns of tensor memory, not "
           << layouts::tupleText(to.getShape().vec());
  if (!llvm::is_contained(stored, from.getShape().vec()))
    return op->emitOpError("takes what is stored as ")
           << layouts::tupleText(stored.front()) << " for a destination of " << layouts::tupleText(to.getShape().vec())
           << ", not as " << layouts::tupleText(from.getShape().vec());
  return success();
}

LogicalResult AsyncStoreScalesSmemToTmemOp::verify() {
  MemRefType from, to;
  if (mlir::failed(checkCopy(*this, from, to)))
    return mlir::failure();
  if (!mlir::isa<mlir::Float8E8M0FNUType, mlir::Float8E4M3FNType>(to.getElementType()))
    return emitOpError("copies scales of f8e8m0fnu and f8e4m3fn, not of ") << to.getElementType();
  int64_t rows = to.getDimSize(0), columns = to.getDimSize(1);
  return checkBlocks(*this, from, to, 4, {{rows / kTmemLanes, columns / 4, 32, 16}, {1, columns / 4, 64, 16}});
}

LogicalResult AsyncStoreSparseMetadataSmemToTmemOp::verify() {
  MemRefType from, to;
  if (mlir::failed(checkCopy(*this, from, to)))
    return mlir::failure();
  if (!to.getElementType().isInteger(2))
    return emitOpError("copies metadata of 2 bits an element, not of ") << to.getElementType();
  int64_t rows = to.getDimSize(0), columns = to.getDimSize(1);
  return checkBlocks(*this, from, to, 64, {{rows / kTmemLanes, columns / 64, kTmemLanes, 64}});
}

//===------------------------------------ products ----------------------------------------------------------------===//

LogicalResult Tcgen05MMAOp::verify() { return tensorProduct(*this); }

LogicalResult Tcgen05CommitArriveOp::verify() {
  auto barrier = mlir::cast<BarrierType>(memrefOf(getBarrier()).getElementType());
  if (!barrier.getOrdersTensorCore())
    return emitError("the tensor core arrives at barriers that are made with `orders_tensor_core=True`");
  return success();
}

//===------------------------------------ cluster launch control --------------------------------------------------===//

static LogicalResult checkAnswer(mlir::Operation *op, Value result) {
  constexpr int64_t kAnswerBytes = 16;
  MemRefType type = memrefOf(result);
  if (!isSharedMemory(type) || type.getDimSize(0) != kAnswerBytes)
    return op->emitOpError("keeps its answer in ") << kAnswerBytes << " bytes of shared memory, not in " << type;
  return success();
}

LogicalResult TryClusterCancelOp::verify() { return checkAnswer(*this, getResult()); }
LogicalResult QueryClusterCancelOp::verify() { return checkAnswer(*this, getResult()); }

} // namespace lanescope::core::mosaic_gpu
