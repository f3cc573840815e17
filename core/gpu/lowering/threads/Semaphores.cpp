// Semaphores: one thread signals or waits for its warpgroup. PTX ISA, `red`, `atom`, "Memory Consistency Model".
#include "core/gpu/lowering/threads/Semaphores.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/lowering/memory/Transfer.h"

namespace lanescope::core {

using namespace mlir;

namespace {

template <typename Op> Value addressOf(KernelLowering &k, Op op) {
  const Ref &ref = k.ref(op.getSemaphores());
  return k.t.address(ref.base, k.t.multiply(k.t.resize(k.scalar(op.getIndex()), 64), ref.elementBytes), 0);
}

LogicalResult signal(KernelLowering &k, Operation *op) {
  auto signal = cast<statements::SemaphoreSignalOp>(op);
  // One thread signals for all, so what they did must come first.
  k.warpgroupBarrier();
  k.t.ptx("@$0 red.release.gpu.global.add.u32 [$1], $2;", "b,l,r",
          {k.elected, addressOf(k, signal), k.scalar(signal.getValue())});
  return success();
}

LogicalResult wait(KernelLowering &k, Operation *op) {
  auto wait = cast<statements::SemaphoreWaitOp>(op);
  ThreadBuilder &t = k.t;
  Value address = addressOf(k, wait), value = k.scalar(wait.getValue());
  k.when(k.elected, [&] {
    Block *loop = k.newBlock(t.i32()), *after = k.newBlock({});
    k.branch(loop, value);
    k.enter(loop);
    Value expected = loop->getArgument(0);
    if (wait.getDecrement()) {
      // Takes `value` from a count that is known to be large enough; what is found otherwise is tried next.
      Value left = t.create<LLVM::SubOp>(expected, value);
      Value found =
          t.ptx(t.i32(), "atom.acquire.gpu.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r", {address, expected, left});
      Value next = t.create<LLVM::UMaxOp>(found, value);
      k.branchIf(t.compare(LLVM::ICmpPredicate::eq, found, expected), after, {}, loop, next);
    } else {
      Value found = t.ptx(t.i32(), "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l", address);
      k.branchIf(t.compare(LLVM::ICmpPredicate::uge, found, value), after, {}, loop, value);
    }
    k.enter(after);
  });
  k.warpgroupBarrier();
  return success();
}

LogicalResult read(KernelLowering &k, Operation *op) {
  auto read = cast<statements::SemaphoreReadOp>(op);
  ThreadBuilder &t = k.t;
  const Ref &scratch = k.ref(read.getScratch());
  Value mine = t.address(scratch.base, t.multiply(k.warpgroup, 4), scratch.knownOffset);
  Value address = addressOf(k, read);
  k.warpgroupBarrier(); // all have taken what was handed on before
  k.when(k.elected, [&] { t.store(t.ptx(t.i32(), "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l", address), mine, 4); });
  k.warpgroupBarrier();
  k.set(read.getCount(), t.load(t.i32(), mine, 4));
  return success();
}

} // namespace

void addSemaphores(HandlerTable &table) {
  table["lanescope.semaphore_signal"] = signal;
  table["lanescope.semaphore_wait"] = wait;
  table["lanescope.semaphore_read"] = read;
}

} // namespace lanescope::core
