// Rules of kernels for the operations on tensor memory (KernelRules.h).
#include "core/gpu/ir/KernelRules.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/TensorProducts.h"

#include "llvm/ADT/TypeSwitch.h"

namespace lanescope::core {

namespace {

using namespace mosaic_gpu;
using layouts::kTmemCellBits;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;

/// References to tensor memory must have a static shape and elements that fit a cell.
LogicalResult checkReferences(mlir::Operation *op) {
  auto check = [&](mlir::Type type) -> LogicalResult {
    auto ref = mlir::dyn_cast<MemRefType>(type);
    if (!ref || !isTensorMemory(ref))
      return success();
    if (!ref.hasStaticShape())
      return op->emitOpError("takes references with a static shape in tensor memory, got ") << ref;
    mlir::Type element = ref.getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > kTmemCellBits)
      return op->emitOpError("takes numbers of at most ") << kTmemCellBits << " bits in tensor memory, not " << element;
    return success();
  };
  for (mlir::Type type : op->getOperandTypes())
    if (mlir::failed(check(type)))
      return mlir::failure();
  for (mlir::Type type : op->getResultTypes())
    if (mlir::failed(check(type)))
      return mlir::failure();
  return success();
}

LogicalResult check(TmemDeallocOp op) {
  if (!op.getTmemRef().getDefiningOp<TmemAllocOp>())
    return op.emitOpError("gives back only memory that `tmem_alloc` gave");
  return success();
}

LogicalResult check(TmemLayoutCastOp op) {
  auto type = mlir::cast<MemRefType>(op.getRef().getType());
  auto fits = toTmemLayout(op.getNewLayout())
                  ->checkType(type.getShape().vec(), static_cast<int>(type.getElementTypeBitWidth()));
  if (!fits)
    return op.emitOpError("gives ") << type << " a layout that does not fit it: " << fits.error().front().message;
  return success();
}

LogicalResult check(Tcgen05MMAOp op) { return tensorProduct(op); }

LogicalResult check(Tcgen05CommitArriveOp op) {
  auto barrier = mlir::cast<BarrierType>(mlir::cast<MemRefType>(op.getBarrier().getType()).getElementType());
  if (!barrier.getOrdersTensorCore())
    return op.emitError("the tensor core arrives at barriers that are made with `orders_tensor_core=True`");
  return success();
}

} // namespace

LogicalResult checkTensorRules(mlir::Operation *op) {
  if (mlir::failed(checkReferences(op)))
    return mlir::failure();
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(op)
      .Case<TmemDeallocOp, TmemLayoutCastOp, Tcgen05MMAOp, Tcgen05CommitArriveOp>([](auto each) { return check(each); })
      .Default([](mlir::Operation *) { return success(); });
}

LogicalResult checkPairs(mlir::ModuleOp module) {
  mlir::Operation *first = nullptr;
  bool pairs = false;
  auto outcome = module.walk([&](mlir::Operation *op) {
    auto collective = op->getAttrOfType<mlir::BoolAttr>("collective");
    if (!collective || !mlir::isa<MosaicGpuDialect>(op->getDialect()))
      return mlir::WalkResult::advance();
    if (!first) {
      first = op;
      pairs = collective.getValue();
    }
    if (pairs == collective.getValue())
      return mlir::WalkResult::advance();
    auto problem = op->emitOpError("is of ") << (pairs ? "one block" : "a pair of blocks")
                                             << ", but the kernel's operations on tensor memory are all of one kind";
    problem.attachNote(first->getLoc()) << "this one is of " << (pairs ? "a pair of blocks" : "one block");
    return mlir::WalkResult::interrupt();
  });
  return mlir::failure(outcome.wasInterrupted());
}

} // namespace lanescope::core
