// Verifiers of the operations on tensor memory, like those in MosaicGpuOps.cpp. Each rule has its own message, and a
// case in tests/lit/ir/tensor-invalid.mlir.
#include "core/gpu/ir/MosaicGpuTensor.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/OperationChecks.h"
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

/// Fails unless `ref` is in tensor memory. `what` names it in the message: "the source".
static LogicalResult checkTensor(mlir::Operation *op, Value ref, llvm::StringRef what) {
  MemRefType type = memrefOf(ref);
  if (!isTensorMemory(type))
    return op->emitOpError("has ") << what << " outside of tensor memory: " << type;
  return success();
}

//===------------------------------------ allocation --------------------------------------------------------------===//

LogicalResult TmemAllocOp::verify() {
  MemRefType address = memrefOf(getSmemPtr());
  if (!isSharedMemory(address))
    return emitOpError("writes the address to one i32 in shared memory, not to ") << address;
  if (mlir::failed(checkTensor(*this, getResult(), "its result")))
    return mlir::failure();
  MemRefType type = memrefOf(getResult());
  mlir::Type element = type.getElementType();
  int64_t packing = getPacking(), bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (packing != 1 && packing * bits != kTmemCellBits)
    return emitOpError("packs one or ") << (bits > 0 ? kTmemCellBits / bits : 1) << " elements of " << element
                                        << " into a cell, not " << packing;
  int64_t elements = type.getDimSize(1);
  if (elements % packing != 0)
    return emitOpError("packs ") << elements << " columns by " << packing << ", which does not divide them";
  if (elements / packing > kTmemColumns)
    return emitOpError("takes ") << elements / packing << " columns of tensor memory, which has " << kTmemColumns;
  return success();
}

LogicalResult TmemDeallocOp::verify() { return checkTensor(*this, getTmemRef(), "a reference"); }

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

LogicalResult TmemLayoutCastOp::verify() { return checkTensor(*this, getRef(), "a reference"); }

//===------------------------------------ loads, stores and copies ------------------------------------------------===//

static LogicalResult checkTensorAccess(mlir::Operation *op, VectorType array, MemRefType ref) {
  if (array.getElementType() != ref.getElementType() || array.getShape() != ref.getShape())
    return op->emitOpError("moves an array of type ")
           << array << " and a reference of type " << ref << ", expected equal shapes and element types";
  return success();
}

LogicalResult AsyncLoadTmemOp::verify() {
  if (mlir::failed(checkTensor(*this, getSource(), "its source")))
    return mlir::failure();
  VectorType array = getResult().getType();
  if (mlir::failed(checkTensorAccess(*this, array, memrefOf(getSource()))))
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
  return checkTensorAccess(*this, mlir::cast<VectorType>(getValue().getType()), memrefOf(getDestination()));
}

/// Checks the rules that copies to tensor memory share.
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
  int64_t rows = to.getDimSize(0), columns = to.getDimSize(1);
  return checkBlocks(*this, from, to, 4, {{rows / kTmemLanes, columns / 4, 32, 16}, {1, columns / 4, 64, 16}});
}

LogicalResult AsyncStoreSparseMetadataSmemToTmemOp::verify() {
  MemRefType from, to;
  if (mlir::failed(checkCopy(*this, from, to)))
    return mlir::failure();
  int64_t rows = to.getDimSize(0), columns = to.getDimSize(1);
  return checkBlocks(*this, from, to, 64, {{rows / kTmemLanes, columns / 64, kTmemLanes, 64}});
}

//===------------------------------------ products ----------------------------------------------------------------===//

static bool fitsTogether(Tcgen05MMAOp op) {
  MemRefType sum = memrefOf(op.getAccumulator()), a = memrefOf(op.getA()), b = memrefOf(op.getB());
  constexpr int64_t kRows = 32;     // rows of the smallest part of an instruction
  constexpr unsigned kHalfByte = 4; // width in bits of elements whose metadata describe pairs
  auto isTensor = [](Value ref) { return !ref || isTensorMemory(memrefOf(ref)); };
  Value metadata = op.getASparseMetadata();
  bool shapes = a.getDimSize(0) == sum.getDimSize(0) && a.getDimSize(1) * (metadata ? 2 : 1) == b.getDimSize(0) &&
                b.getDimSize(1) * (op.getCollective() ? 2 : 1) == sum.getDimSize(1) && sum.getDimSize(0) % kRows == 0;
  bool places = isTensorMemory(sum) && (isTensorMemory(a) || isSharedMemory(a)) && isSharedMemory(b) &&
                isTensor(op.getAScale()) && isTensor(op.getBScale()) && isTensor(metadata);
  bool described = !metadata || a.getElementType().getIntOrFloatBitWidth() == kHalfByte ||
                   memrefOf(metadata).getShape() == a.getShape();
  return multiplyTogether(a.getElementType(), b.getElementType()) && shapes && places && described &&
         !op.getAScale() == !op.getBScale();
}

LogicalResult Tcgen05MMAOp::verify() {
  if (fitsTogether(*this))
    return success();
  if (mlir::failed(tensorProduct(*this))) // tensorProduct() reports the products that exist
    return mlir::failure();
  return emitOpError("has operands whose places, shapes or types do not go together");
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
