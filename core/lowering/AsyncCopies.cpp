// mosaic_gpu.async_load and async_store: one elected thread of the warpgroup issues a TMA instruction.
#include "core/ir/MosaicGpu.h"
#include "core/lowering/Tma.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// "{$3, $2, …}": coordinates are listed innermost first, operands were given outermost first from `first` on.
std::string coordinateList(size_t first, size_t rank) {
  std::string list = "{";
  for (size_t i = rank; i-- > 0;)
    list += text("$", first + i, i ? ", " : "}");
  return list;
}

Value sharedAddress(KernelLowering &k, const Ref &shared) {
  return k.t.address(shared.base, shared.computedOffset, shared.knownOffset);
}

Value issuer(KernelLowering &k, Value predicate) {
  return predicate ? k.t.create<LLVM::AndOp>(k.elected, k.scalar(predicate)).getResult() : k.elected;
}

LogicalResult load(KernelLowering &k, Operation *op) {
  auto load = cast<mosaic_gpu::AsyncLoadOp>(op);
  if (!load.getCollective().empty() || load.getLeaderTracked() || load.getGmemPeerId())
    return op->emitError("copies for a whole cluster or from another device are not supported yet");
  for (Value index : load.getIndices())
    if (isa<VectorType>(index.getType()))
      return op->emitError("gathering copies (an array as index) are not supported yet");
  const Ref &shared = k.ref(load.getDestination());
  auto copy = planTma(k, op, k.ref(load.getSource()), shared, load.getIndices(), load.getSliceLengths());
  if (failed(copy))
    return failure();
  // Threads of the warpgroup may still be reading what the copy overwrites.
  k.warpgroupBarrier();
  SmallVector<Value> operands{issuer(k, load.getPredicate()), sharedAddress(k, shared), k.descriptorPointer(copy->map),
                              k.scalar(load.getBarrier())};
  size_t first = operands.size();
  llvm::append_range(operands, copy->coordinates);
  std::string constraints = "b,r,l,r";
  for (size_t i = 0; i < copy->coordinates.size(); ++i)
    constraints += ",r";
  k.t.ptx(text("@$0 cp.async.bulk.tensor.", copy->coordinates.size(),
               "d.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$2, ",
               coordinateList(first, copy->coordinates.size()), "], [$3];"),
          constraints, operands);
  return success();
}

LogicalResult store(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreOp>(op);
  if (store.getReductionOp() || store.getIsGlobalBroadcast() || store.getGmemPeerId())
    return op->emitError("copies that reduce, or go to other devices, are not supported yet");
  for (Value index : store.getIndices())
    if (isa<VectorType>(index.getType()))
      return op->emitError("scattering copies (an array as index) are not supported yet");
  const Ref &shared = k.ref(store.getSource());
  auto copy = planTma(k, op, k.ref(store.getDestination()), shared, store.getIndices(), store.getSliceLengths());
  if (failed(copy))
    return failure();
  SmallVector<Value> operands{issuer(k, store.getPredicate()), k.descriptorPointer(copy->map),
                              sharedAddress(k, shared)};
  size_t first = operands.size();
  llvm::append_range(operands, copy->coordinates);
  std::string constraints = "b,l,r";
  for (size_t i = 0; i < copy->coordinates.size(); ++i)
    constraints += ",r";
  k.t.ptx(text("@$0 cp.async.bulk.tensor.", copy->coordinates.size(), "d.global.shared::cta.bulk_group [$1, ",
               coordinateList(first, copy->coordinates.size()), "], [$2];"),
          constraints, operands);
  // Groups are counted per thread: all commit, those that issued nothing an empty group.
  if (store.getCommitGroup())
    k.t.commitBulkGroup();
  return success();
}

} // namespace

void addAsyncCopies(HandlerTable &table) {
  table["mosaic_gpu.async_load"] = load;
  table["mosaic_gpu.async_store"] = store;
}

} // namespace lanescope::core
