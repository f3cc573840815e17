// Verifiers of prefetches, hints, and operations on other blocks and devices.
#include "core/gpu/ir/MosaicGpuAsync.h"

#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/OperationChecks.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuAsyncOps.cpp.inc"

namespace lanescope::core {

bool isClusterMemory(mlir::MemRefType type) {
  return mlir::isa_and_nonnull<mosaic_gpu::SmemClusterAttr>(type.getMemorySpace());
}

mlir::MemRefType inCluster(mlir::MemRefType type) {
  return mlir::MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(),
                               mosaic_gpu::SmemClusterAttr::get(type.getContext()));
}

namespace mosaic_gpu {

using mlir::LogicalResult;
using mlir::MemRefType;

LogicalResult AsyncPrefetchOp::verify() {
  if (mlir::failed(checkSlice(*this, mlir::cast<MemRefType>(getSource().getType()), getIndices(), getSliceLengths())))
    return mlir::failure();
  return checkCollective(*this, getCollective());
}

LogicalResult GetClusterRefOp::verify() {
  auto source = mlir::cast<MemRefType>(getSource().getType()), result = mlir::cast<MemRefType>(getResult().getType());
  if (result != inCluster(source))
    return emitOpError("gives ") << result << ", expected " << inCluster(source);
  return mlir::success();
}

LogicalResult AsyncStoreSmemOp::verify() {
  auto array = mlir::cast<mlir::VectorType>(getValue().getType());
  auto ref = mlir::cast<MemRefType>(getDestination().getType());
  if (array.getShape() != ref.getShape() || array.getElementType() != ref.getElementType())
    return emitOpError("stores an array of type ")
           << array << " to a reference of type " << ref << ", expected equal shapes and element types";
  if (!isSharedMemory(ref))
    return emitOpError("stores to shared memory, not to ") << ref;
  return mlir::success();
}

LogicalResult MultimemLoadReduceOp::verify() {
  using Reduction = MultimemReduction;
  auto ref = mlir::cast<MemRefType>(getSource().getType());
  auto array = mlir::cast<mlir::VectorType>(getResult().getType());
  mlir::Type element = ref.getElementType();
  Reduction reduction = getReductionType();
  if (array.getShape() != ref.getShape() || array.getElementType() != element)
    return emitOpError("loads ") << ref << " as " << array << ", expected equal shapes and element types";
  if (mlir::isa<mlir::IntegerType>(element)) {
    if (!element.isInteger(32) && !element.isInteger(64))
      return emitOpError("combines integers of 32 and 64 bits, not ") << element;
    if (reduction == Reduction::Min || reduction == Reduction::Max)
      return emitOpError("does not say whether integers have a sign, expected `umin`, `smin`, `umax` or `smax`");
  } else {
    if (!mlir::isa<mlir::Float32Type, mlir::Float16Type, mlir::BFloat16Type, mlir::Float8E4M3FNType,
                   mlir::Float8E5M2Type>(element))
      return emitOpError("combines f32, f16, bf16, f8E4M3FN, f8E5M2 and integers, not ") << element;
    bool extreme = reduction == Reduction::Min || reduction == Reduction::Max;
    if (reduction != Reduction::Add && !extreme)
      return emitOpError("combines floats by `add`, `min` and `max`, not by `") << stringifyEnum(reduction) << "`";
    if (extreme && element.isF32())
      return emitOpError("combines f32 only by `add`");
  }
  if (!isGlobalMemory(ref))
    return emitOpError("loads global memory, not ") << ref;
  return mlir::success();
}

} // namespace mosaic_gpu
} // namespace lanescope::core
