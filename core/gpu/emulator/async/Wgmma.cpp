#include "core/gpu/emulator/async/Wgmma.h"

#include "core/gpu/emulator/async/WgmmaChunks.h"
#include "core/gpu/emulator/async/WgmmaProduct.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/sync/Wake.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "core/gpu/emulator/tensor/SharedMatrix.h"
#include "core/gpu/emulator/tensor/SparsePositions.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint16_t kRowsOfWarp = 16; // rows of A

/// Describes what is wrong with a descriptor of `count` rows (columns). Empty if the descriptor is right.
std::string problemOf(const Block &block, uint64_t bits, bool transposed, uint32_t count, uint32_t bytes) {
  constexpr uint64_t kReserved = 3ull << 14 | 3ull << 30 | 7ull << 46 | 0x3FFull << 52;
  if (bits & kReserved)
    return "has bits set that are reserved on sm_90 (14-15, 30-31, 46-48, 52-61)";
  SharedMatrix matrix(bits, transposed);
  if (matrix.base && !matrix.swizzle)
    return "has a base offset, which needs a swizzle";
  uint32_t along = transposed ? count * 2 : bytes, across = transposed ? bytes / 2 : count, line = matrix.lineBytes();
  if (matrix.swizzle && matrix.start % line + std::min(along, line) > line)
    return text("starts ", matrix.start % line, " bytes into a ", line, "-byte line of its swizzle, so that its ",
                std::min(along, line), " bytes cross the end of the line");
  // The last byte is in the last chunk or, if lines overlap, in the last chunk of the last full line. A swizzle moves
  // chunks only within their line.
  uint32_t last = matrix.linear(along - 16, across - 1);
  if (along > line)
    last = std::max(last, matrix.linear((along - 16) / line * line - 16, across - 1));
  uint64_t end = static_cast<uint64_t>(last) / line * line + line;
  if (matrix.start < kSharedBase || end - kSharedBase > block.shared.size())
    return text("covers shared addresses ", matrix.start, " to ", end, ", outside the block's ", block.shared.size(),
                " bytes from ", kSharedBase);
  return {};
}

bool checkDescriptor(Warp &warp, const Instr &i, const char *which, uint64_t bits, bool transposed, uint32_t count,
                     uint32_t bytes) {
  std::string problem = problemOf(*warp.block, bits, transposed, count, bytes);
  if (problem.empty())
    return true;
  fault(warp, i, "wgmma-descriptor", Message("the descriptor of {} {}", which, problem));
  return false;
}

/// Reads a value that must be equal in all lanes. Returns false after a fault.
template <class T> bool uniform(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot, const char *what, T &out) {
  const T *values = warp.reg<T>(slot);
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  out = values[first];
  T odd = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    odd |= values[l] ^ out;
  if (odd == 0)
    return true;
  for (uint32_t l = 0; l < kLanes; ++l)
    if ((mask >> l & 1) && values[l] != out) {
      fault(warp, i, "wgmma-descriptor", Message("{} differs between lanes {} and {}", what, first, l), l);
      return false;
    }
  return true;
}

/// Compares the registers and the shared memory that the wgmma uses with the operations in flight.
bool checkUses(Warp &warp, const Instr &i, const WgmmaVariant &v, WgmmaOp &op) {
  Checker &checks = *warp.block->checks;
  if (!checks.registers.issue(warp, i))
    return false;
  Agent agent = checks.order.unitOf(warp, AsyncUnit::Wgmma);
  Epoch epoch = checks.registers.issued(warp);
  const View &view = checks.order.viewOf(warp);
  op.fenced = view.fenced[static_cast<Agent>(checks.order.numberOf(warp))];
  op.copied = view.seen[checks.order.unitOf(warp, AsyncUnit::CpAsync)];
  if (!checks.shared.issueWgmma(warp, epoch))
    return false;
  uint32_t rank = warp.block->clusterRank;
  if (WgmmaOperand a{op.a, v.transposeA, static_cast<uint16_t>(warp.id % 4 * 16), kRowsOfWarp};
      !v.aInRegisters && !checks.shared.asyncReadChunks(warp, i, agent, epoch, chunksOf(a), rank))
    return false;
  // All four warps read B. `b` identifies the part of memory that they read: the descriptor's reserved bits hold the
  // rest of what identifies it.
  uint64_t b = op.b | 1ull << 14 | uint64_t(v.transposeB) << 15 | uint64_t(v.columns) << 52 | uint64_t(v.sparse) << 61;
  if (checks.shared.matrixRead(warp, agent, epoch, b))
    return true;
  std::span<const uint32_t> chunks =
      chunksOf({op.b, v.transposeB, 0, v.columns, static_cast<uint16_t>(v.columnBytes())});
  return checks.shared.asyncReadChunks(warp, i, agent, epoch, chunks, rank, b);
}

/// The warp's operations, up to number `upTo` of the kernel, that have not been computed yet. Marks them as computed.
std::span<WgmmaOp> takePending(WgmmaQueue &queue, uint64_t upTo) {
  std::span<WgmmaOp> ops(queue.ops);
  uint64_t over = queue.issued - ops.size();
  ops = ops.first(static_cast<size_t>(std::max(upTo, over) - over));
  std::span<WgmmaOp> pending(std::ranges::find(ops, false, &WgmmaOp::computed), ops.end());
  for (WgmmaOp &op : pending)
    op.computed = true;
  return pending;
}

Warp *warpgroupOf(Warp &warp) { return &warp.block->warps[warp.id / 4 * 4]; }

/// Computes the operations that the four warps have issued, up to number `upTo` of each warp.
void computeAll(Warp *first, uint64_t upTo) {
  Warp *warps[4];
  std::span<WgmmaOp> pending[4];
  bool alike = true;
  for (uint32_t w = 0; w < 4; ++w) {
    warps[w] = &first[w];
    pending[w] = takePending(first[w].wgmma, upTo);
    alike = alike && std::ranges::equal(pending[w], pending[0], &WgmmaOp::isLike);
  }
  if (alike)
    return multiply(warps, pending[0]);
  for (uint32_t w = 0; w < 4; ++w)
    multiply(std::span(warps + w, 1), pending[w]);
}

/// Waits for the first `count` wgmmas in flight. The four warps of a warpgroup multiply together: an operation is over
/// for all of them when all have issued it. So one warp may signal that the operands are free, as in CUTLASS' and
/// Mosaic's pipelines.
Step compute(Warp &warp, size_t count) {
  WgmmaQueue &queue = warp.wgmma;
  uint64_t upTo = queue.issued - queue.ops.size() + count;
  Warp *first = warpgroupOf(warp);
  for (uint32_t w = 0; w < 4; ++w)
    if (first[w].wgmma.issued < upTo) {
      warp.split().state = SplitState::AtGroup;
      warp.split().waitFor = kWgmmaWait + w;
      return Step::Blocked;
    }
  computeAll(first, upTo);
  for (size_t n = 0; n < count; ++n)
    warp.time = std::max(warp.time, queue.ops[n].ready);
  return Step::Next;
}

/// Does what `wgmma.wait_group` does: waits as compute(). Afterwards, the operations' shared memory is free, too.
Step await(Warp &warp, size_t count) {
  WgmmaQueue &queue = warp.wgmma;
  uint64_t begin = warp.time;
  if (Step step = compute(warp, count); step != Step::Next)
    return step;
  if (warp.block->grid->flights)
    warp.block->grid->flights->multiplied(warp, queue.ops, count, begin);
  queue.ops.erase(queue.ops.begin(), queue.ops.begin() + static_cast<long>(count));
  if (Checker *checks = warp.block->checks) {
    Epoch over = checks->registers.issued(warp) - static_cast<Epoch>(queue.ops.size());
    checks->registers.waited(warp, over);
    checks->order.waited(warp, AsyncUnit::Wgmma, over);
  }
  return Step::Next;
}

/// The cycle at which the warp's next wgmma is done. It is the same for all four warps of a warpgroup: the warp that
/// issues the operation first reserves the tensor core for it.
uint64_t readyOf(Warp &warp, const WgmmaVariant &v) {
  const Warp *first = warpgroupOf(warp);
  for (uint32_t w = 0; w < 4; ++w)
    if (const WgmmaQueue &other = first[w].wgmma;
        other.issued > warp.wgmma.issued) // the other warp has already issued this operation
      return std::max(warp.time, other.ops[warp.wgmma.issued - (other.issued - other.ops.size())].ready);
  Block &block = *warp.block;
  uint64_t cycles = v.columns / cost::kWgmmaColumns;
  block.work.tensorCycles += cycles;
  return block.tensorFree = std::max(warp.time, block.tensorFree) + cycles;
}

} // namespace

Step issueWgmma(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  Block &block = *warp.block;
  if (block.warps.size() < warp.id / 4 * 4 + 4)
    return fault(
        warp, i, "wgmma",
        Message("`wgmma` needs the four warps of a warpgroup, but the block has only {count}", block.warps.size()));
  WgmmaVariant v = WgmmaVariant::unpack(i.imm);
  WgmmaOp op;
  op.instr = &i;
  if (!v.aInRegisters && (!uniform(warp, i, mask, i.a, "the descriptor of A", op.a) ||
                          !checkDescriptor(warp, i, "A", op.a, v.transposeA, 64, kRowBytes)))
    return Step::Fault;
  if (!uniform(warp, i, mask, i.b, "the descriptor of B", op.b) ||
      !checkDescriptor(warp, i, "B", op.b, v.transposeB, v.columns, v.columnBytes()))
    return Step::Fault;
  uint8_t positions[16 * kMaxDepth];
  if (uint32_t row = 0; v.sparse && !positionsOf(warp, i, v, positions, row))
    return fault(warp, i, "sparsity-metadata",
                 Message("the metadata of row {row} of A have no meaning", warp.id % 4 * 16 + row));
  uint32_t scale = i.sub ? ~warp.predicate(i.c) : warp.predicate(i.c); // sub: the predicate is negated (`!p`)
  op.accumulate = scale >> static_cast<uint32_t>(__builtin_ctz(mask)) & 1;
  if (block.checks && !checkUses(warp, i, v, op))
    return Step::Fault;
  op.issued = warp.time;
  op.ready = readyOf(warp, v);
  warp.wgmma.ops.push_back(op);
  ++warp.wgmma.issued;
  for (uint32_t w = warp.id / 4 * 4; w < warp.id / 4 * 4 + 4; ++w)
    if (w != warp.id)
      wakeGroupWaiters(block.warps[w], warp.time); // these warps may wait until this warp issues its part
  return Step::Next;
}

Step fenceWgmma(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  if (warp.block->checks)
    warp.block->checks->registers.fence(warp);
  return Step::Next;
}

Step commitWgmma(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  for (WgmmaOp &op : warp.wgmma.ops)
    if (op.group == UINT64_MAX)
      op.group = warp.wgmma.committed;
  ++warp.wgmma.committed;
  if (warp.block->grid->instant) { // the last of the four warps to commit computes what all of them have issued
    Warp *first = warpgroupOf(warp);
    uint64_t upTo = warp.wgmma.issued;
    for (uint32_t w = 0; w < 4; ++w)
      upTo = std::min(upTo, first[w].wgmma.issued);
    computeAll(first, upTo);
  }
  return Step::Next;
}

Step waitWgmma(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  const WgmmaQueue &queue = warp.wgmma;
  size_t done = 0;
  for (const WgmmaOp &op : queue.ops) {
    if (op.group == UINT64_MAX || op.group + i.imm >= queue.committed)
      break;
    ++done;
  }
  return done == 0 ? Step::Next : await(warp, done);
}

Step useRegisters(Warp &warp, const Instr &i) {
  if (warp.block->grid->instant) { // later instructions must see the results of operations that were issued before
    Warp *one = &warp;
    multiply({&one, 1}, takePending(warp.wgmma, warp.wgmma.issued));
    return Step::Next;
  }
  RegistersInFlight &registers = warp.block->checks->registers;
  RegistersInFlight::Use use = registers.use(warp, i);
  if (!use.right)
    return Step::Fault;
  // ptxas inserts a wait for the registers here. The wgmmas' shared memory stays in use until `wgmma.wait_group`.
  Epoch waited = registers.issued(warp) - static_cast<Epoch>(warp.wgmma.ops.size());
  if (use.after <= waited)
    return Step::Next;
  Step step = compute(warp, use.after - waited);
  if (step == Step::Next)
    registers.waited(warp, use.after);
  return step;
}

} // namespace lanescope::core::emulator
