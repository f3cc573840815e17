#include "core/gpu/emulator/async/Tcgen05.h"

#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/async/Tcgen05Checks.h"
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/sync/Mbarriers.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

/// Moves the contents of each row of a quarter, except the first, to the row before it. The ISA does not say in which
/// direction "down" is. CUTLASS writes the last row anew after a shift (tcgen05.cp.4x256b). Therefore the last row gets
/// no new contents here.
void shiftDown(uint32_t address, TensorCells &tensor) {
  TensorAddress at(address);
  for (uint32_t lane = at.lane; lane + 1 < at.lane + kTmemQuarter; ++lane)
    std::copy_n(&tensor.cells[lane + 1][at.column], kShiftColumns, &tensor.cells[lane][at.column]);
}

/// Executes one operation. Returns false after a fault, for instance if its metadata in tensor memory are invalid.
bool carryOutOne(Block &issuer, const Tcgen05Op &op) {
  TensorBlocks blocks = tensorBlocksOf(issuer);
  if (op.mma) {
    TmemMmaMemory memory;
    for (uint32_t n = 0; n < blocks.count; ++n) {
      memory.shared[n] = {blocks.all[n]->shared, kSharedBase};
      memory.tensor[n] = blocks.all[n]->tmem.cells.get();
    }
    std::string problem = op.mma->multiply(op.operands, memory);
    if (problem.empty() || !issuer.grid->checks)
      return true;
    fault(issuer.warps[op.warp], *op.instr, "tcgen05-operand",
          Message("`{}` ({}): {}", issuer.grid->opcodeOf(*op.instr), op.mma->name(), problem), op.lane);
    return false;
  }
  for (uint32_t n = 0; n < blocks.count; ++n)
    if (op.form->what == Tcgen05What::Copy)
      op.form->copy.run(op.operands.d, op.operands.b, {blocks.all[n]->shared, kSharedBase}, *blocks.all[n]->tmem.cells);
    else
      shiftDown(op.operands.d, *blocks.all[n]->tmem.cells);
  return true;
}

/// Executes the operations with numbers below `upTo`. Returns false after a fault.
bool carryOutUpTo(Block &leader, uint64_t upTo) {
  Tcgen05Queue &queue = leader.tensorCore;
  if (upTo <= queue.done)
    return true;
  size_t count = upTo - queue.done;
  bool fine = true;
  for (size_t n = 0; n < count && fine; ++n)
    fine = carryOutOne(*leader.cluster->blocks[queue.ops[n].rank], queue.ops[n]);
  queue.ops.erase(queue.ops.begin(), queue.ops.begin() + static_cast<long>(count));
  queue.done = upTo;
  return fine;
}

uint32_t registerIn(Warp &warp, uint32_t slot, uint32_t lane) { return warp.reg<uint32_t>(slot)[lane]; }

TmemMmaOperands operandsOf(Warp &warp, const Tcgen05Form &form, uint32_t lane) {
  TmemMmaOperands out;
  out.d = static_cast<uint32_t>(addressIn(warp, form.d, lane));
  if (form.b != kNone)
    out.b = warp.reg<uint64_t>(form.b)[lane];
  if (form.what != Tcgen05What::Mma)
    return out;
  auto address = [&](const AddressRef &ref) { return static_cast<uint32_t>(addressIn(warp, ref, lane)); };
  out.a = form.aInTensorMemory ? address(form.tensorA) : warp.reg<uint64_t>(form.a)[lane];
  if (form.opcode.sparse)
    out.metadata = address(form.metadata);
  out.scaleA = address(form.scaleA);
  out.scaleB = address(form.scaleB);
  uint32_t accumulate = warp.predicate(form.accumulate);
  out.accumulate = (form.accumulateNegated ? ~accumulate : accumulate) >> lane & 1;
  out.shiftD = form.shiftD;
  out.shiftA = form.shiftA;
  for (size_t n = 0; n < out.disabledLanes.size(); ++n)
    if (form.disabledLanes[n] != kNone)
      out.disabledLanes[n] = registerIn(warp, form.disabledLanes[n], lane);
  if (form.zeroColumns != kNone)
    out.zeroColumns = warp.reg<uint64_t>(form.zeroColumns)[lane];
  return out;
}

/// The number of bits of an element that determines the tensor core's speed.
uint64_t bitsOf(std::string_view kind) {
  return kind == "tf32" ? 32 : kind == "f16" ? 16 : kind.starts_with("mxf4") ? 4 : 8;
}

uint64_t costOf(const Tcgen05Op &op) {
  if (!op.mma) {
    const TmemCopy &copy = op.form->copy;
    return op.form->what == Tcgen05What::Shift ? cost::kTensorShift
                                               : copy.rows() * copy.rowBytes() / cost::kTensorCopyBytes + 1;
  }
  const layouts::TmemMmaOpcode &opcode = op.mma->opcode();
  uint64_t perCycle = cost::kTensorProducts * static_cast<uint64_t>(opcode.ctas) * 16 / bitsOf(opcode.kind);
  return std::max<uint64_t>(1, op.mma->products() / perCycle);
}

bool issueOne(Warp &warp, const Instr &i, uint32_t lane) {
  Block &block = *warp.block;
  const Tcgen05Form &form = block.grid->program->tensorForms[i.imm];
  if (!checkTensorPair(warp, i, lane))
    return false;
  Tcgen05Op op;
  op.instr = &i;
  op.form = &form;
  op.rank = block.clusterRank;
  op.warp = warp.id;
  op.lane = lane;
  op.operands = operandsOf(warp, form, lane);
  if (form.what == Tcgen05What::Mma) {
    auto mma = TmemMma::of(form.opcode, form.aInTensorMemory, registerIn(warp, form.descriptor, lane));
    if (!mma) {
      fault(warp, i, "tcgen05-instruction", Message("`{}`: {}", block.grid->opcodeOf(i), mma.error()), lane);
      return false;
    }
    op.mma = std::move(*mma);
  }
  if (!checkTcgen05(warp, i, op))
    return false;
  Block &leader = *tensorBlocksOf(block).all[0];
  Tcgen05Queue &queue = leader.tensorCore;
  op.issued = warp.time;
  op.begin = std::max(warp.time, queue.unitFree);
  op.end = queue.unitFree = op.begin + costOf(op);
  if (FlightRecorder *flights = block.grid->flights) {
    TensorBlocks blocks = tensorBlocksOf(block);
    flights->computes({blocks.all.data(), blocks.count}, op);
  }
  uint64_t number = queue.issued();
  queue.ops.push_back(std::move(op));
  ++block.effects;
  uint64_t seed = block.grid->seed, drawn = (seed ^ number) * 0x9E3779B97F4A7C15ull;
  if (block.grid->instant || (seed && (drawn >> 40 & 3) == 0))
    return carryOutUpTo(leader, number + 1);
  return true;
}

} // namespace

Step issueTcgen05(Warp &warp, const Instr &i, uint32_t mask) {
  for (; mask; mask &= mask - 1)
    if (!issueOne(warp, i, static_cast<uint32_t>(__builtin_ctz(mask))))
      return Step::Fault;
  return Step::Next;
}

Step commitTcgen05(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  const AddressRef &ref = block.grid->program->addresses[i.imm];
  for (; mask; mask &= mask - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(mask));
    if (!checkTensorPair(warp, i, lane))
      return Step::Fault;
    uint32_t address = 0;
    Block *owner = sharedPlace(warp, i, lane, addressIn(warp, ref, lane), address, ref.space);
    if (!owner)
      return Step::Fault;
    uint32_t ranks = 1u << owner->clusterRank;
    if (i.c != kNone) {
      ranks = warp.reg<uint16_t>(i.c)[lane];
      if (ranks == 0)
        return fault(warp, i, "cluster", "the multicast reaches no block: its mask is 0", lane);
    }
    const Tcgen05Queue &queue = tensorBlocksOf(block).all[0]->tensorCore;
    for (; ranks; ranks &= ranks - 1) {
      auto rank = static_cast<uint32_t>(__builtin_ctz(ranks));
      Block *target = blockOfRank(block, rank);
      if (!target)
        return fault(warp, i, "cluster",
                     Message("the multicast goes to rank {rank}, and the cluster has {blocks} blocks", rank,
                             block.cluster->blocks.size()),
                     lane);
      if (!resolve(warp, i, lane, rankedAddress(rank, address), Space::SharedCluster, {8, 8, Access::Atomic}))
        return Step::Fault;
      MbarrierProblem problem;
      if (!findMbarrier(*target, address, problem))
        return fault(warp, i, "mbarrier",
                     Message("there is no initialised mbarrier at {place}{} for this commit to signal",
                             describeShared(*target, address),
                             rank == block.clusterRank ? text() : text(" of ", target->name())),
                     lane);
      AsyncOp op;
      op.what = Tcgen05Commit{{rank, address}, queue.issued()};
      op.instr = &i;
      op.warp = warp.id;
      op.lane = lane;
      op.time = std::max(warp.time, queue.unitFree) + cost::kTensorCommit;
      if (!issueAsync(block, std::move(op), warp.time))
        return Step::Fault;
    }
  }
  return Step::Next;
}

Step fenceTcgen05(Warp &warp, const Instr &i, uint32_t) {
  if (Checker *checks = warp.block->checks) {
    if (i.sub)
      checks->order.tensorFenceBefore(warp);
    else
      checks->order.tensorFenceAfter(warp);
  }
  return Step::Next;
}

bool carryOut(Block &block, const Tcgen05Commit &commit) {
  return carryOutUpTo(*tensorBlocksOf(block).all[0], commit.upTo);
}

} // namespace lanescope::core::emulator
