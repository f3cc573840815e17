// Semaphores: one thread signals or waits for its warpgroup. PTX ISA, `red`, `atom`, "Memory Consistency Model".
#include "core/gpu/lowering/threads/LowerSemaphores.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// The scope of a signal or a wait: `.gpu`, or `.sys` if other devices take part.
template <typename Op> const char *scopeOf(Op op) { return op.getSystem() ? ".sys" : ".gpu"; }

template <typename Op> Value addressOf(KernelLowering &k, Op op) {
  const Ref &ref = k.ref(op.getSemaphores());
  return k.t.address(ref.base, k.t.multiply(k.t.resize(k.scalar(op.getIndex()), 64), ref.elementBytes), 0);
}

LogicalResult signal(KernelLowering &k, Operation *op) {
  auto signal = cast<statements::SemaphoreSignalOp>(op);
  // One thread signals for the warpgroup, so the effects of the other threads must come before its signal.
  if (!signal.getRelaxed())
    k.warpgroupBarrier();
  const char *order = signal.getRelaxed() ? ".relaxed" : ".release";
  SmallVector<Value> operands{k.elected, addressOf(k, signal), k.scalar(signal.getValue())};
  if (k.ref(signal.getSemaphores()).multicast) {
    // Each device waits at its own address. Another device writes there through the multicast address.
    k.t.ptx(text("@$0 multimem.red", order, ".sys.global.add.u32 [$1], $2;"), "b,l,r", operands);
    k.t.ptx("@$0 fence.proxy.alias;", "b", k.elected);
  } else {
    k.t.ptx(text("@$0 red", order, scopeOf(signal), ".global.add.u32 [$1], $2;"), "b,l,r", operands);
  }
  return success();
}

LogicalResult waitForSemaphore(KernelLowering &k, Operation *op) {
  auto wait = cast<statements::SemaphoreWaitOp>(op);
  ThreadBuilder &t = k.t;
  Value address = addressOf(k, wait), value = k.scalar(wait.getValue());
  k.when(k.elected, [&] {
    Block *loop = k.newBlock(t.i32()), *after = k.newBlock({});
    k.branch(loop, value);
    k.enter(loop);
    Value expected = loop->getArgument(0);
    if (wait.getDecrement()) {
      // Subtracts `value` from the count, which is expected to be large enough. If the memory holds another count,
      // retries with that count.
      Value left = t.create<LLVM::SubOp>(expected, value);
      Value found = t.ptx(t.i32(), text("atom.acquire", scopeOf(wait), ".global.cas.b32 $0, [$1], $2, $3;"), "=r,l,r,r",
                          {address, expected, left});
      Value next = t.create<LLVM::UMaxOp>(found, value);
      k.branchIf(t.compare(LLVM::ICmpPredicate::eq, found, expected), after, {}, loop, next);
    } else {
      Value found = t.ptx(t.i32(), text("ld.acquire", scopeOf(wait), ".global.u32 $0, [$1];"), "=r,l", address);
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
  k.warpgroupBarrier(); // all threads must have read the previous value in `mine`
  std::string code = text("ld.acquire", scopeOf(read), ".global.u32 $0, [$1];");
  k.when(k.elected, [&] { t.store(t.ptx(t.i32(), code, "=r,l", address), mine, 4); });
  k.warpgroupBarrier();
  k.set(read.getCount(), t.load(t.i32(), mine, 4));
  return success();
}

} // namespace

void addSemaphores(HandlerTable &table) {
  table["lanescope.semaphore_signal"] = signal;
  table["lanescope.semaphore_wait"] = waitForSemaphore;
  table["lanescope.semaphore_read"] = read;
}

} // namespace lanescope::core
