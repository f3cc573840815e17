// lanescope.cp_async, and copies to global memory on targets without TMA. PTX ISA, `cp.async`,
// `cp.async.mbarrier.arrive`.
#include "core/gpu/lowering/copies/CpAsync.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/lowering/copies/CopyPieces.h"
#include "core/gpu/lowering/threads/Warps.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

LogicalResult copy(KernelLowering &k, Operation *op) {
  auto copy = cast<statements::CpAsyncOp>(op);
  if (copy.getBarrier() && ordersTensorCore(copy.getBarrier()))
    return op->emitError(
        "all threads of the warpgroup arrive here, and a barrier with `orders_tensor_core=True` counts "
        "one of them; wait at another");
  constexpr int64_t kLeast = 4; // bytes, of one instruction
  auto pieces = planPieces(
      k, op, k.ref(copy.getDestination()), k.ref(copy.getSource()), copy.getIndices(), copy.getSliceLengths(),
      {kLeast, k.gpu->tma ? "copy by TMA, with a barrier, or through registers" : "copy through registers",
       copy.getFillsZeros()});
  if (failed(pieces))
    return failure();
  k.warpgroupBarrier(); // threads may still read the copy's target
  std::string name = text("cp.async.", pieces->bytes == 16 ? "cg" : "ca", ".shared.global [$0], [$1], ", pieces->bytes);
  forEachPiece(k, *pieces, [&](const CopyPiece &piece) {
    if (!piece.inside) {
      k.t.ptx(name + ";", "r,l", {piece.shared, piece.global});
      return;
    }
    // Without bytes to read, the instruction does not use the address, and writes zeros.
    Value bytes = k.t.create<LLVM::SelectOp>(piece.inside, k.t.constant(pieces->bytes), k.t.constant(0));
    k.t.ptx(name + ", $2;", "r,l,r", {piece.shared, piece.global, bytes});
  });
  if (!copy.getBarrier()) {
    k.t.ptx("cp.async.commit_group;", "", {});
    return success();
  }
  // Each thread arrives when its pieces have landed. All these arrivals together are the warpgroup's arrival, or the
  // warp's, which counts as much.
  int64_t arrivals = k.inWarps ? layouts::kWarpsPerWarpgroup : 1;
  for (int64_t n = 0; n < arrivals; ++n)
    k.t.ptx("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r", k.scalar(copy.getBarrier()));
  return success();
}

LogicalResult wait(KernelLowering &k, Operation *op) {
  k.t.ptx(text("cp.async.wait_group ", cast<statements::WaitCpAsyncOp>(op).getN(), ";"), "", {});
  k.warpgroupBarrier();
  return success();
}

} // namespace

LogicalResult storeByThreads(KernelLowering &k, mosaic_gpu::AsyncStoreOp store, const Ref &global) {
  if (store.getReductionOp())
    return store->emitError(text("a copy that combines needs TMA, and ", k.gpu->name,
                                 " has none: load the array and use `atomic_add` and its like"));
  auto pieces = planPieces(k, store, k.ref(store.getSource()), global, store.getIndices(), store.getSliceLengths(),
                           {1, "copy through registers", true});
  if (failed(pieces))
    return failure();
  ThreadBuilder &t = k.t;
  Type piece = t.builder().getIntegerType(static_cast<unsigned>(8 * std::min<int64_t>(pieces->bytes, 4)));
  if (pieces->bytes > 4)
    piece = VectorType::get({pieces->bytes / 4}, piece);
  auto alignment = static_cast<unsigned>(pieces->bytes);
  auto copyAll = [&] {
    forEachPiece(k, *pieces, [&](const CopyPiece &place) {
      auto copyPiece = [&] {
        t.create<LLVM::StoreOp>(t.create<LLVM::LoadOp>(piece, place.shared, alignment), place.global, alignment);
      };
      if (place.inside) // TMA writes nothing outside of the array, either
        k.when(place.inside, copyPiece);
      else
        copyPiece();
    });
  };
  if (store.getPredicate())
    k.when(k.scalar(store.getPredicate()), copyAll);
  else
    copyAll();
  return success();
}

void addCpAsync(HandlerTable &table) {
  table["lanescope.cp_async"] = copy;
  table["lanescope.wait_cp_async"] = wait;
}

} // namespace lanescope::core
