// Demands of loads and stores between registers and shared or tensor memory.
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/MosaicGpuTensor.h"

namespace lanescope::core {

using namespace mlir;
using constraints::LayoutKind;
using constraints::MemorySpace;
using constraints::NotOfType;
using constraints::TransferKind;
using constraints::Variable;

namespace {

/// Demands of a transfer between `array` and `reference` (`load`: the array is read), if that reference is in shared
/// memory.
LogicalResult shared(Derivation &system, Variable array, OpOperand &reference, TransferKind kind, bool load) {
  if (memorySpaceOf(reference.get().getType(), /*barriers=*/true) != MemorySpace::Shared)
    return success();
  auto variable = system.producer(reference);
  if (failed(variable))
    return failure();
  auto type = cast<MemRefType>(reference.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  const int bits = elementBits(type);
  if (failed(type.getStridesAndOffset(strides, offset)) || bits == 0)
    return reference.getOwner()->emitError() << "a reference without strides, or of elements of a width that is no "
                                                "power of two, is not moved to or from registers";
  system.bind(*variable, {reference});
  constraints::SmemTransfer transfer{array, array, type.getShape().vec(), {strides.begin(), strides.end()}, bits, kind};
  (load ? transfer.source : transfer.target) = *variable;
  system.require(std::move(transfer));
  return success();
}

LogicalResult vectorLoad(Operation *op, Derivation &system) {
  Variable result = system.at(op->getResult(0));
  system.bind(result, {op->getResult(0)});
  system.require(NotOfType{result, LayoutKind::Splat});
  auto optimized = op->getAttrOfType<BoolAttr>("optimized");
  return shared(system, result, op->getOpOperand(0),
                !optimized || optimized.getValue() ? TransferKind::Optimized : TransferKind::Unoptimized,
                /*load=*/true);
}

LogicalResult vectorStore(Operation *op, Derivation &system) {
  Variable value = system.at(op->getOpOperand(0));
  system.bind(value, {op->getOpOperand(0)});
  auto optimized = op->getAttrOfType<BoolAttr>("optimized");
  return shared(system, value, op->getOpOperand(1),
                !optimized             ? TransferKind::Downgradable
                : optimized.getValue() ? TransferKind::Optimized
                                       : TransferKind::Unoptimized,
                /*load=*/false);
}

LogicalResult asyncStoreSmem(Operation *op, Derivation &system) {
  if (failed(vectorStore(op, system)))
    return failure();
  Variable value = system.at(op->getOpOperand(0));
  system.require(NotOfType{value, LayoutKind::Strided});
  system.require(NotOfType{value, LayoutKind::Splat});
  return success();
}

LogicalResult printLayout(Operation *op, Derivation &system) {
  OpOperand &operand = op->getOpOperand(0);
  if (isa<VectorType>(operand.get().getType())) {
    system.bind(system.at(operand), {operand});
    return success();
  }
  auto variable = system.producer(operand);
  if (failed(variable))
    return failure();
  system.bind(*variable, {operand});
  return success();
}

/// Requires elements of at most 32 bits and two dimensions.
FailureOr<constraints::TmemTransfer> tensorTransfer(Operation *op, Variable from, Variable to, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  const int bits = elementBits(type);
  if (!shaped || !shaped.hasRank() || shaped.getRank() != 2 || bits == 0 || bits > layouts::kTmemCellBits)
    return op->emitError() << "tensor memory holds two dimensions of elements of up to 32 bits, not " << type;
  return constraints::TmemTransfer{from, to, shaped.getShape().vec(), bits};
}

LogicalResult asyncLoadTmem(Operation *op, Derivation &system) {
  auto source = system.producer(op->getOpOperand(0));
  if (failed(source))
    return failure();
  Variable result = system.at(op->getResult(0));
  auto transfer = tensorTransfer(op, *source, result, op->getOperand(0).getType());
  if (failed(transfer))
    return failure();
  system.require(std::move(*transfer));
  system.require(NotOfType{result, LayoutKind::Splat});
  system.require(NotOfType{result, LayoutKind::Strided});
  system.bind(*source, {op->getOpOperand(0)});
  system.bind(result, {op->getResult(0)});
  if (op->getAttr("reduce") && op->getNumResults() > 1) {
    Variable reduced = system.at(op->getResult(1));
    system.bind(reduced, {op->getResult(1)});
    system.require(constraints::Equals{reduced, constraints::Expression(result).reduced({1}, 2)});
  }
  return success();
}

LogicalResult asyncStoreTmem(Operation *op, Derivation &system) {
  auto destination = system.producer(op->getOpOperand(1));
  if (failed(destination))
    return failure();
  Variable source = system.at(op->getOpOperand(0));
  auto transfer = tensorTransfer(op, source, *destination, op->getOperand(0).getType());
  if (failed(transfer))
    return failure();
  system.require(std::move(*transfer));
  system.bind(source, {op->getOpOperand(0)});
  system.bind(*destination, {op->getOpOperand(1)});
  return success();
}

} // namespace

llvm::ArrayRef<DemandEntry> transferDemands() {
  static const DemandEntry entries[] = {
      on<mosaic_gpu::VectorLoadOp>(vectorLoad),         on<mosaic_gpu::VectorStoreOp>(vectorStore),
      on<mosaic_gpu::AsyncStoreSmemOp>(asyncStoreSmem), on<mosaic_gpu::PrintLayoutOp>(printLayout),
      on<mosaic_gpu::AsyncLoadTmemOp>(asyncLoadTmem),   on<mosaic_gpu::AsyncStoreTmemOp>(asyncStoreTmem),
  };
  return entries;
}

} // namespace lanescope::core
