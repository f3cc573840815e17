// Demands of allocations of tensor memory and of copies to it.
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpuTensor.h"

#include "layouts/Catalogue.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Variable;
namespace c = layouts::catalogue;

namespace {

/// The reference that receives the address has no transforms, even if other operations use it, too.
LogicalResult alloc(Operation *op, Derivation &system) {
  Variable result = system.at(op->getResult(0)), address = system.at(op->getOpOperand(0));
  system.assign(address, SmemTransforms{});
  system.bind(result, {op->getResult(0)});
  system.bind(address, {op->getOpOperand(0)});
  return success();
}

LogicalResult dealloc(Operation *op, Derivation &system) {
  auto variable = system.producer(op->getOpOperand(0));
  if (failed(variable))
    return failure();
  system.bind(*variable, {op->getOpOperand(0)});
  return success();
}

LogicalResult tmemLayoutCast(Operation *op, Derivation &system) {
  auto variable = system.producer(op->getOpOperand(0));
  if (failed(variable))
    return failure();
  auto layout = toTmemLayout(op->getAttr("new_layout"));
  if (!layout)
    return op->emitError() << "`new_layout` is no layout of tensor memory";
  if (failed(system.fix(*variable, std::move(*layout), "a reference to tensor memory")))
    return failure();
  system.bind(*variable, {op->getOpOperand(0), op->getResult(0)});
  return success();
}

struct Ends {
  Variable source, destination;
};
FailureOr<Ends> endsOf(Operation *op, Derivation &system) {
  auto source = system.producer(op->getOpOperand(0)), destination = system.producer(op->getOpOperand(1));
  if (failed(source) || failed(destination))
    return failure();
  system.bind(*source, {op->getOpOperand(0)});
  system.bind(*destination, {op->getOpOperand(1)});
  return Ends{*source, *destination};
}

/// The layout of the stored array is that of a product's left operand.
LogicalResult storeMatrix(Operation *op, Derivation &system) {
  auto ends = endsOf(op, system);
  if (failed(ends))
    return failure();
  const int bits = elementBits(op->getOperand(1).getType());
  auto layout = c::tmemDefault(bits > 0 ? layouts::kTmemCellBits / bits : 0);
  if (!layout)
    return op->emitError() << layout.error().front().message;
  if (failed(system.fix(ends->destination, std::move(*layout), "a reference to tensor memory")))
    return failure();
  system.require(constraints::ValidMmaTiling{ends->source, bits, /*allowUnswizzled=*/true});
  return success();
}

LogicalResult storeMetadata(Operation *op, Derivation &system) {
  auto ends = endsOf(op, system);
  if (failed(ends))
    return failure();
  system.assign(ends->destination, c::sparseMeta());
  system.assign(ends->source, SmemTransforms{});
  return success();
}

LogicalResult storeScales(Operation *op, Derivation &system) {
  auto ends = endsOf(op, system);
  if (failed(ends))
    return failure();
  auto source = cast<MemRefType>(op->getOperand(0).getType()), // has a variable, so it is a memref
      target = cast<MemRefType>(op->getOperand(1).getType());
  system.assign(ends->source, SmemTransforms{});
  // The operand B of a pair of blocks, with their columns side by side.
  const bool pair = target.getRank() > 1 && source.getShape() == ArrayRef<int64_t>{1, target.getDimSize(1) / 4, 64, 16};
  system.assign(ends->destination, pair ? c::bScalesM64Collective() : c::scales());
  return success();
}

} // namespace

llvm::ArrayRef<DemandEntry> tensorDemands() {
  static const DemandEntry entries[] = {
      on<mosaic_gpu::TmemAllocOp>(alloc),
      on<mosaic_gpu::TmemDeallocOp>(dealloc),
      on<mosaic_gpu::TmemLayoutCastOp>(tmemLayoutCast),
      on<mosaic_gpu::AsyncStoreSmemToTmemOp>(storeMatrix),
      on<mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp>(storeMetadata),
      on<mosaic_gpu::AsyncStoreScalesSmemToTmemOp>(storeScales),
  };
  return entries;
}

} // namespace lanescope::core
