// Verifiers of the `tpu` operations on semaphores, of copies between memories, and of regions and logs. Each rule has
// its own message, and a case in tests/lit/tpu.
#include "core/tpu/ir/Tpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace lanescope::core::tpu {

using llvm::ArrayRef;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;

static MemRefType typeOf(mlir::Value reference) { return mlir::cast<MemRefType>(reference.getType()); }

static bool onSparseCore(CoreType type) {
  return type == CoreType::ScScalarSubcore || type == CoreType::ScVectorSubcore;
}

static LogicalResult checkOneSemaphore(mlir::Operation *op, llvm::StringRef what, mlir::Value semaphore) {
  if (typeOf(semaphore).getRank() != 0)
    return op->emitOpError("takes one ") << what << ", of rank 0, got " << semaphore.getType();
  return success();
}

//===------------------------------------ semaphores --------------------------------------------------------------===//

LogicalResult GetBarrierSemaphoreOp::verify() { return checkOneSemaphore(*this, "semaphore", getSemaphore()); }
LogicalResult SemaphoreWaitOp::verify() { return checkOneSemaphore(*this, "semaphore", getSemaphore()); }

LogicalResult SemaphoreSignalOp::verify() {
  if (mlir::failed(checkOneSemaphore(*this, "semaphore", getSemaphore())))
    return mlir::failure();
  CoreType here = coreTypeOf(*this), target = ownerOf(typeOf(getSemaphore())).value_or(here);
  if (!getCoreId() && !getDeviceId() && target != here)
    return emitOpError("signals a semaphore of `") << stringifyCoreType(target) << "` from `" << stringifyCoreType(here)
                                                   << "`, which takes a `device_id` or a `core_id`";
  if (getSubcoreId() && target != CoreType::ScVectorSubcore)
    return emitOpError("has a `subcore_id` for a semaphore of `")
           << stringifyCoreType(target) << "`; only vector subcores are numbered";
  return success();
}

//===------------------------------------ copies ------------------------------------------------------------------===//

LogicalResult EnqueueDMAOp::verify() {
  if (!getTargetSemaphore())
    return emitOpError("needs a target semaphore");
  if (mlir::failed(checkOneSemaphore(*this, "target semaphore", getTargetSemaphore())) ||
      (getSourceSemaphore() && mlir::failed(checkOneSemaphore(*this, "source semaphore", getSourceSemaphore()))))
    return mlir::failure();
  MemRefType semaphore = typeOf(getTargetSemaphore()), source = typeOf(getSource()), target = typeOf(getTarget());
  if (getSourceSemaphore() && typeOf(getSourceSemaphore()).getElementType() != semaphore.getElementType())
    return emitOpError("has semaphores of different types");
  if (source.getElementType() != target.getElementType())
    return emitOpError("copies between element types ")
           << source.getElementType() << " and " << target.getElementType() << ", expected equal ones";
  if (source.getShape() != target.getShape())
    return emitOpError("copies ") << source << " to " << target << ", expected the same shape";
  bool remote = getDeviceId() || getCoreId();
  if (remote && !getSourceSemaphore())
    return emitOpError("goes to another device or core and needs a source semaphore");
  if (!remote && getSourceSemaphore())
    return emitOpError("has a source semaphore, which is for copies with a `device_id` or a `core_id`");
  auto priority = static_cast<int32_t>(getPriority());
  if (priority != 0 && priority != 1)
    return emitOpError("has the priority ") << priority << ", expected 0 or 1";
  if (priority != 0 && remote)
    return emitOpError("goes to another device or core, for which only priority 0 is implemented");
  CoreType here = coreTypeOf(*this), there = ownerOf(semaphore).value_or(here);
  if (getSourceSemaphore() && ownerOf(typeOf(getSourceSemaphore())).value_or(here) != here)
    return emitOpError("has a source semaphore of another core");
  if (there != here && !getCoreId())
    return emitOpError("goes from `") << stringifyCoreType(here) << "` to `" << stringifyCoreType(there)
                                      << "` and needs a `core_id`";
  if (getStrictOrdering() && !onSparseCore(here))
    return emitOpError("has strict ordering, which only SparseCores have");
  auto ofTensorCore = [](MemRefType type) { return isIn(type, MemorySpace::Smem) && ownerOf(type) == CoreType::Tc; };
  if (mlir::isa<SemaphoreType>(semaphore.getElementType()) && (ofTensorCore(source) || ofTensorCore(target)))
    return emitOpError("copies a TensorCore's SMEM, which takes DMA semaphores");
  if (getSubcoreId() && there != CoreType::ScVectorSubcore)
    return emitOpError("has a `subcore_id` for `")
           << stringifyCoreType(there) << "`; only vector subcores are numbered";
  return success();
}

LogicalResult WaitDMA2Op::verify() {
  if (mlir::failed(checkOneSemaphore(*this, "semaphore", getSemaphore())))
    return mlir::failure();
  CoreType here = coreTypeOf(*this);
  if (ownerOf(typeOf(getSemaphore())).value_or(here) != here)
    return emitOpError("waits for a semaphore of another core");
  return success();
}

static LogicalResult checkIndirect(mlir::Operation *op, MemRefType source, MemRefType target) {
  if (coreTypeOf(op) != CoreType::ScVectorSubcore)
    return op->emitOpError("is for vector subcores only, and this function runs on another core");
  if (!indirectCopyOf(source, target))
    return op->emitOpError("goes between HBM and VMEM, or VMEM_SHARED and VMEM, not from ")
           << source << " to " << target;
  return success();
}

static std::string sizesText(ArrayRef<int64_t> sizes) { return layouts::tupleText(sizes.vec()); }

/// `indexed` contains the rows that offsets select, `dense` one row for each offset. Shapes: offsets (o) or (1, o),
/// rows of shape s, indexed (z, s…) or (1, z, s…), dense (o, s…) or (1, o, s…).
static LogicalResult checkRows(mlir::Operation *op, ArrayRef<int64_t> indexed, ArrayRef<int64_t> offsets,
                               ArrayRef<int64_t> dense) {
  if (offsets.empty() || offsets.size() > 2 || (offsets.size() == 2 && offsets[0] != 1))
    return op->emitOpError("has offsets of shape ") << sizesText(offsets) << ", expected (N,) or (1, N)";
  if (dense.size() < offsets.size() || dense.take_front(offsets.size()) != offsets)
    return op->emitOpError("has offsets of shape ")
           << sizesText(offsets) << " and rows of shape " << sizesText(dense) << " in VMEM, which must begin with it";
  ArrayRef<int64_t> row = dense.drop_front(offsets.size());
  if (indexed.size() != dense.size() || (offsets.size() == 2 && indexed[0] != 1))
    return op->emitOpError("chooses among ")
           << sizesText(indexed) << " with offsets of shape " << sizesText(offsets) << ", expected rows of shape "
           << sizesText(row) << " with " << (offsets.size() == 2 ? "(1, N) before it" : "(N,) before it");
  if (indexed.take_back(row.size()) != row)
    return op->emitOpError("has rows of shape ")
           << sizesText(indexed.take_back(row.size())) << " and " << sizesText(row) << ", expected equal ones";
  return success();
}

LogicalResult EnqueueIndirectDMAOp::verify() {
  MemRefType source = typeOf(getSource()), target = typeOf(getTarget());
  if (source.getElementType() != target.getElementType())
    return emitOpError("copies between element types ")
           << source.getElementType() << " and " << target.getElementType() << ", expected equal ones";
  if (mlir::failed(checkIndirect(*this, source, target)))
    return mlir::failure();
  if (auto offsets = mlir::dyn_cast<MemRefType>(getOffsets().getType()); offsets && !isIn(offsets, MemorySpace::Vmem))
    return emitOpError("expects its offsets in VMEM, got ") << offsets;
  if (mlir::failed(checkOneSemaphore(*this, "semaphore", getSemaphore())))
    return mlir::failure();
  ArrayRef<int64_t> offsets = mlir::cast<mlir::ShapedType>(getOffsets().getType()).getShape();
  return indirectCopyOf(source, target) == IndirectCopy::Gather
             ? checkRows(*this, source.getShape(), offsets, target.getShape())
             : checkRows(*this, target.getShape(), offsets, source.getShape());
}

LogicalResult WaitIndirectDMAOp::verify() {
  if (mlir::failed(checkOneSemaphore(*this, "semaphore", getSemaphore())))
    return mlir::failure();
  return checkIndirect(*this, typeOf(getSrc()), typeOf(getDst()));
}

//===------------------------------------ regions and logs --------------------------------------------------------===//

LogicalResult RegionOp::verify() {
  for (mlir::Type type : getResultTypes())
    if (!type.isIntOrIndexOrFloat() && !mlir::isa<mlir::VectorType>(type))
      return emitOpError("gives numbers and vectors, not ") << type;
  return success();
}

LogicalResult RegionOp::verifyRegions() {
  if (getRegion().empty())
    return emitOpError("has no body");
  if (auto end = mlir::dyn_cast<YieldOp>(getRegion().front().getTerminator());
      end && end.getOperandTypes() != getResultTypes())
    return end.emitOpError("gives other types than the region around it");
  return success();
}

LogicalResult LogOp::verify() {
  CoreType here = coreTypeOf(*this);
  if (!onSparseCore(here))
    return success();
  if (getFormatted())
    return emitOpError("has a format, which SparseCores do not write");
  if (getInputs().size() > 1)
    return emitOpError("has ") << getInputs().size() << " values; a SparseCore writes one at most";
  if (here == CoreType::ScScalarSubcore && llvm::any_of(getInputs().getTypes(), llvm::IsaPred<mlir::VectorType>))
    return emitOpError("writes a vector, which a scalar subcore does not");
  return success();
}

LogicalResult LogBufferOp::verify() {
  if (static_cast<int64_t>(getShape().size()) != typeOf(getInput()).getRank())
    return emitOpError("has a shape of ") << getShape().size() << " sizes for " << getInput().getType();
  return success();
}

} // namespace lanescope::core::tpu
