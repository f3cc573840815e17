#include "core/gpu/ir/KernelRules.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MatrixProducts.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/WarpOps.h"

#include "layouts/Catalogue.h"

#include "llvm/ADT/TypeSwitch.h"

namespace lanescope::core {

namespace {

using namespace mosaic_gpu;
using mlir::failure;
using mlir::LogicalResult;
using mlir::MemRefType;
using mlir::success;
namespace catalogue = layouts::catalogue;

MemRefType memrefOf(mlir::Value ref) { return mlir::cast<MemRefType>(ref.getType()); }

//===------------------------------------ copies ------------------------------------------------------------------===//

/// `shared` holds the slice, or half of it along dimension `halved`.
LogicalResult checkCopy(mlir::Operation *op, MemRefType global, MemRefType shared, llvm::ArrayRef<int64_t> lengths,
                        std::optional<int64_t> halved = std::nullopt) {
  if (!isGlobalMemory(global))
    return op->emitOpError("expects the sliced reference in global memory, got ") << global;
  if (!isSharedMemory(shared))
    return op->emitOpError("expects the other reference in shared memory, got ") << shared;
  llvm::SmallVector<int64_t> slice;
  llvm::copy_if(lengths, std::back_inserter(slice), [](int64_t length) { return length != -1; });
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

LogicalResult check(AsyncLoadOp op) {
  std::optional<int64_t> halved;
  if (auto partitioned = mlir::dyn_cast_or_null<CopyPartitionedAttr>(op.getLeaderTrackedAttr()))
    halved = partitioned.getAxis();
  return checkCopy(op, memrefOf(op.getSource()), memrefOf(op.getDestination()), op.getSliceLengths(), halved);
}

LogicalResult check(AsyncStoreOp op) {
  return checkCopy(op, memrefOf(op.getDestination()), memrefOf(op.getSource()), op.getSliceLengths());
}

LogicalResult check(AsyncPrefetchOp op) {
  if (!isGlobalMemory(memrefOf(op.getSource())))
    return op.emitOpError("expects the sliced reference in global memory, got ") << op.getSource().getType();
  if (llvm::any_of(op.getIndices().getTypes(), llvm::IsaPred<mlir::VectorType>))
    return op.emitOpError("of rows that an array chooses is not supported");
  return success();
}

LogicalResult check(GetClusterRefOp op) {
  if (!isSharedMemory(memrefOf(op.getSource())))
    return op.emitOpError("expects a reference in shared memory, got ") << op.getSource().getType();
  return success();
}

//===------------------------------------ references and arrays ---------------------------------------------------===//

LogicalResult check(SliceSmemOp op) {
  MemRefType ref = memrefOf(op.getResult());
  if (!isSharedMemory(ref))
    return op.emitOpError("gives a reference in shared memory, got ") << ref;
  if (!ref.hasStaticShape())
    return op.emitOpError("needs a static shape, got ") << ref;
  return success();
}

LogicalResult check(WithTransformsOp op) {
  MemRefType ref = memrefOf(op.getRef());
  if (!isSharedMemory(ref))
    return op.emitOpError("transforms references in shared memory, got ") << ref;
  auto transforms = toTransforms(op.getTransforms());
  if (!transforms->tiling)
    return success();
  const layouts::Shape &tile = *transforms->tiling;
  if (static_cast<int64_t>(tile.size()) > ref.getRank())
    return op.emitOpError("tiles ") << tile.size() << " dimensions of a reference of rank " << ref.getRank();
  for (auto [size, length] : llvm::zip(ref.getShape().take_back(tile.size()), tile))
    if (size % length != 0)
      return op.emitOpError("tiles a dimension of size ") << size << " by " << length << ", which does not divide it";
  return success();
}

LogicalResult check(LayoutCastOp op) {
  mlir::VectorType array = op.getX().getType();
  if (auto strided = mlir::dyn_cast<WGStridedFragLayoutAttr>(op.getNewLayout()))
    if (strided.getShape().asArrayRef() != array.getShape())
      return op.emitOpError("casts an array of type ") << array << " to a layout of another shape, " << strided;
  if (auto tiled = mlir::dyn_cast<TiledLayoutAttr>(op.getNewLayout())) {
    auto registers = std::get<layouts::TiledLayout>(*toLayout(tiled)).registersShape(array.getShape().vec());
    if (!registers)
      return op.emitOpError("cannot give an array of type ")
             << array << " this layout: " << registers.error().front().message;
  }
  return success();
}

LogicalResult check(BroadcastInDimOp op) {
  mlir::Type from = op.getOperand().getType().getElementType(), to = op.getResult().getType().getElementType();
  return from == to ? success() : op.emitOpError("changes the element type from ") << from << " to " << to;
}

LogicalResult check(BroadcastedIotaOp op) {
  mlir::Type element = op.getResult().getType().getElementType();
  return element.isIntOrFloat() ? success() : op.emitOpError("makes integers or floats, got ") << element;
}

//===------------------------------------ products ----------------------------------------------------------------===//

LogicalResult check(WGMMAOp op) { return matrixProduct(op); }

LogicalResult check(MMAOp op) {
  mlir::Type factor = op.getA().getType().getElementType();
  if (factor.isF64() || factor.isTF32() || factor.isInteger(1))
    return op.emitOpError("of ") << factor << " is not supported";
  if (auto own = catalogue::mmaLayouts(op.elementBits(), op.rowWarps()); !own)
    return op.emitOpError(own.error().front().message);
  if (op.hasScales()) {
    auto shapeOf = [](mlir::Value scales) { return mlir::cast<mlir::VectorType>(scales.getType()).getShape().vec(); };
    for (const auto &own : {catalogue::mmaLhsScale(shapeOf(op.getAScale()), op.rowWarps()),
                            catalogue::mmaRhsScale(shapeOf(op.getBScale()), op.rowWarps())})
      if (!own)
        return op.emitOpError(own.error().front().message);
  }
  return matrixProduct(op);
}

//===------------------------------------ threads -----------------------------------------------------------------===//

LogicalResult check(statements::SetMaxRegistersOp op) {
  constexpr uint32_t kUnit = 8; // PTX ISA, `setmaxnreg`
  if (op.getN() % kUnit != 0)
    return op.emitOpError("takes a count of registers that is a multiple of ") << kUnit << ", not " << op.getN();
  return success();
}

LogicalResult check(statements::NamedBarrierOp op) {
  if (op.getThreads() % layouts::kLanesPerWarp != 0)
    return op.emitOpError("takes whole warps, and ") << op.getThreads() << " threads are none";
  return success();
}

/// A barrier that orders the tensor core expects one arrival per warpgroup, and any other one expects 128. JAX decides
/// by the attribute, and we decide by the type.
LogicalResult check(ArriveOp op) {
  auto barrier = mlir::cast<BarrierType>(memrefOf(op.getBarrier()).getElementType());
  if (barrier.getOrdersTensorCore() != op.getOrdersTensorCore())
    return op.emitOpError("has `orders_tensor_core = ")
           << (op.getOrdersTensorCore() ? "true" : "false") << "`, and its barrier is " << op.getBarrier().getType();
  return success();
}

LogicalResult checkRules(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(op)
      .Case<AsyncLoadOp, AsyncStoreOp, AsyncPrefetchOp, GetClusterRefOp, SliceSmemOp, WithTransformsOp, LayoutCastOp,
            BroadcastInDimOp, BroadcastedIotaOp, WGMMAOp, MMAOp, statements::SetMaxRegistersOp,
            statements::NamedBarrierOp, ArriveOp>([](auto each) { return check(each); })
      .Default([](mlir::Operation *other) { return checkTensorRules(other); });
}

} // namespace

LogicalResult checkKernelRules(mlir::ModuleOp module) {
  bool kept = true;
  module.walk([&](mlir::Operation *op) { kept &= mlir::succeeded(checkRules(op)); });
  return mlir::success(mlir::succeeded(checkPairs(module)) && kept);
}

} // namespace lanescope::core
