// lanescope.cp_async, and copies to global memory on targets without TMA. PTX ISA, `cp.async`,
// `cp.async.mbarrier.arrive`.
#include "core/gpu/lowering/copies/CpAsync.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/lowering/copies/CopyPieces.h"
#include "core/gpu/lowering/threads/LowerWarps.h"
#include "layouts/support/Text.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// The arrival of a copy at its barrier. Each thread arrives when its pieces have landed, and all these arrivals
/// together are the warpgroup's arrival, or the warp's, which counts as much.
void arriveWhenCopied(KernelLowering &k, statements::CpAsyncOp copy) {
  Value barrier = k.scalar(copy.getBarrier());
  if (!copy.getFillsNan()) {
    for (int64_t n = 0; n < (k.inWarps ? layouts::kWarpsPerWarpgroup : 1); ++n)
      k.t.ptx("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r", barrier);
    return;
  }
  // That arrival does not order the stores of NaN, but an ordinary one does. Without `.noinc` the phase waits for the
  // pieces and expects no arrival fewer.
  k.t.ptx("cp.async.mbarrier.arrive.shared::cta.b64 [$0];", "r", barrier);
  if (k.inWarps)
    arriveAsWarp(k, barrier, Value());
  else
    k.t.ptx("mbarrier.arrive.release.cta.shared::cta.b64 _, [$0];", "r", barrier);
}

/// The instruction that stores TMA's NaN to `[$0]`: "st.shared.v2.b32 [$0], {$3, $3};". `word` is its operand.
std::string fillText(int64_t bytes, std::string_view word) {
  if (bytes == 4)
    return text("st.shared.b32 [$0], ", word, ";");
  std::string words(word);
  for (int64_t n = 4; n < bytes; n += 4)
    words += text(", ", word);
  return text("st.shared.v", bytes / 4, ".b32 [$0], {", words, "};");
}

/// True if only operations without effects on memory come between this copy and another one. The barrier before that
/// one then serves both: since then, no thread has read what this copy overwrites.
bool followsACopy(statements::CpAsyncOp copy) {
  for (Operation *before = copy->getPrevNode(); before; before = before->getPrevNode()) {
    if (isa<statements::CpAsyncOp>(before))
      return true;
    if (!isMemoryEffectFree(before))
      return false;
  }
  return false;
}

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
       copy.getFillsZeros() || copy.getFillsNan()});
  if (failed(pieces))
    return failure();
  if (!followsACopy(copy))
    k.warpgroupBarrier(); // threads may still read the copy's target
  std::string name = text("cp.async.", pieces->bytes == 16 ? "cg" : "ca", ".shared.global [$0], [$1], ", pieces->bytes);
  auto copyAll = [&] {
    forEachPiece(k, *pieces, [&](const CopyPiece &piece) {
      if (!piece.inside) {
        k.t.ptx(name + ";", "r,l", {piece.shared, piece.global});
        return;
      }
      if (copy.getFillsNan()) {
        constexpr int64_t kNan = 0x7FF77FF7; // what TMA writes on an H200; a NaN of every type
        k.t.ptx(text("@$2 ", name, "; @!$2 ", fillText(pieces->bytes, "$3")), "r,l,b,r",
                {piece.shared, piece.global, piece.inside, k.t.constant(kNan)});
        return;
      }
      // Without bytes to read, the instruction does not use the address, and writes zeros.
      Value bytes = k.t.create<LLVM::SelectOp>(piece.inside, k.t.constant(pieces->bytes), k.t.constant(0));
      k.t.ptx(name + ", $2;", "r,l,r", {piece.shared, piece.global, bytes});
    });
  };
  if (copy.getPredicate())
    k.when(k.scalar(copy.getPredicate()), copyAll);
  else
    copyAll();
  if (copy.getBarrier())
    arriveWhenCopied(k, copy);
  else
    k.t.ptx("cp.async.commit_group;", "", {});
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
