#include "core/gpu/emulator/async/Tcgen05Checks.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/TmemAccess.h"
#include "core/gpu/emulator/sync/TmemPool.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

/// The quarter of the lanes that tcgen05.shift is about.
std::array<CellBox, 1> shiftCells(uint32_t address) {
  TensorAddress at(address);
  CellBox box;
  box.lane = static_cast<uint16_t>(at.lane);
  box.lanes = kTmemQuarter;
  box.column = static_cast<uint16_t>(at.column);
  box.columns = kShiftColumns;
  return {box};
}

/// Two mmas with the same one have the same accumulator, shape and kind.
uint64_t accumulatorOf(const Tcgen05Op &op) {
  const layouts::TmemMmaShape &shape = op.mma->shape();
  auto kind = static_cast<uint64_t>(std::ranges::find(kMmaKinds, op.mma->opcode().kind) - std::begin(kMmaKinds));
  return uint64_t{op.operands.d} << 32 | static_cast<uint64_t>(shape.m) << 20 | static_cast<uint64_t>(shape.n) << 8 |
         kind;
}

struct Named {
  std::string_view name;
  std::span<const CellBox> boxes;
};

/// What the operation takes of tensor and shared memory: allocated, described by what it says, and, where `checks` is
/// set, not in use. False after a fault.
bool checkMma(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  Block &block = *warp.block;
  const Grid &grid = *block.grid;
  auto bytes = static_cast<uint32_t>(block.shared.size());
  if (std::string problem = op.mma->problem(op.operands, kSharedBase, bytes); !problem.empty()) {
    fault(warp, i, "tcgen05-operand", text("`", grid.opcodeOf(i), "` (", op.mma->name(), "): ", problem), op.lane);
    return false;
  }
  TmemMmaCells cells = op.mma->cells(op.operands);
  const Named parts[] = {{"D", cells.d},
                         {"A", cells.a},
                         {"the metadata", cells.metadata},
                         {"the scales of A", cells.scaleA},
                         {"the scales of B", cells.scaleB}};
  TensorBlocks blocks = tensorBlocksOf(block);
  for (uint32_t n = 0; n < blocks.count; ++n)
    for (const Named &part : parts)
      if (!part.boxes.empty() && !tmemAllocated(warp, i, *blocks.all[n], part.boxes,
                                                text(part.name, " of `", grid.opcodeOf(i), "`"), blocks.count == 2))
        return false;
  Checker *checks = block.checks;
  if (!checks)
    return true;
  Epoch epoch = checks->order.issue(warp, AsyncUnit::Tensor);
  Agent agent = checks->order.unitOf(warp, AsyncUnit::Tensor);
  static thread_local std::vector<uint32_t> chunks;
  chunks.clear();
  if (!op.mma->aInTensorMemory())
    op.mma->chunksOfA(op.operands, chunks);
  op.mma->chunksOfB(op.operands, chunks);
  checks->tensor.issue(warp, i, TensorUse::Op, TensorOp::Mma, accumulatorOf(op));
  for (uint32_t n = 0; n < blocks.count; ++n) {
    uint32_t rank = blocks.all[n]->clusterRank;
    if (!checks->shared.asyncReadChunks(warp, i, agent, epoch, chunks, rank))
      return false;
    for (const Named &part : parts)
      if ((part.boxes.data() != cells.d.data() || op.operands.accumulate) &&
          !checks->tensor.read(warp, i, rank, part.boxes))
        return false;
    if (!checks->tensor.write(warp, i, rank, cells.d))
      return false;
  }
  return true;
}

bool checkCopy(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  Block &block = *warp.block;
  const TmemCopy &copy = op.form->copy;
  auto bytes = static_cast<uint32_t>(block.shared.size());
  if (std::string problem = copy.problem(op.operands.d, op.operands.b, kSharedBase, bytes); !problem.empty()) {
    fault(warp, i, "tcgen05-operand", text("`", block.grid->opcodeOf(i), "`: ", problem), op.lane);
    return false;
  }
  std::vector<CellBox> cells = copy.cells(op.operands.d);
  TensorBlocks blocks = tensorBlocksOf(block);
  for (uint32_t n = 0; n < blocks.count; ++n)
    if (!tmemAllocated(warp, i, *blocks.all[n], cells, text("`", block.grid->opcodeOf(i), "`"), blocks.count == 2))
      return false;
  Checker *checks = block.checks;
  if (!checks)
    return true;
  Epoch epoch = checks->order.issue(warp, AsyncUnit::Tensor);
  Agent agent = checks->order.unitOf(warp, AsyncUnit::Tensor);
  static thread_local std::vector<uint32_t> chunks;
  chunks.clear();
  copy.chunks(op.operands.b, chunks);
  checks->tensor.issue(warp, i, TensorUse::Op, TensorOp::Copy);
  for (uint32_t n = 0; n < blocks.count; ++n) {
    uint32_t rank = blocks.all[n]->clusterRank;
    if (!checks->shared.asyncReadChunks(warp, i, agent, epoch, chunks, rank) ||
        !checks->tensor.write(warp, i, rank, cells))
      return false;
  }
  return true;
}

bool checkShift(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  Block &block = *warp.block;
  if (TensorAddress at(op.operands.d); at.lane % kTmemQuarter != 0) {
    fault(warp, i, "tcgen05-operand",
          text("`", block.grid->opcodeOf(i), "` at ", describeTmem(op.operands.d), "; the lane is a multiple of 32"),
          op.lane);
    return false;
  }
  auto cells = shiftCells(op.operands.d);
  TensorBlocks blocks = tensorBlocksOf(block);
  Checker *checks = block.checks;
  if (checks) {
    checks->order.issue(warp, AsyncUnit::Tensor);
    checks->tensor.issue(warp, i, TensorUse::Op, TensorOp::Shift);
  }
  for (uint32_t n = 0; n < blocks.count; ++n) {
    uint32_t rank = blocks.all[n]->clusterRank;
    if (!tmemAllocated(warp, i, *blocks.all[n], cells, text("`", block.grid->opcodeOf(i), "`"), blocks.count == 2) ||
        (checks && (!checks->tensor.read(warp, i, rank, cells) || !checks->tensor.write(warp, i, rank, cells))))
      return false;
  }
  return true;
}

} // namespace

TensorBlocks tensorBlocksOf(Block &block) {
  if (block.grid->program->tensorBlocks != 2)
    return {{&block, nullptr}, 1};
  uint32_t even = block.clusterRank & ~1u;
  return {{blockOfRank(block, even), blockOfRank(block, even + 1)}, 2};
}

bool checkTensorPair(Warp &warp, const Instr &i, uint32_t lane) {
  Block &block = *warp.block;
  if (block.grid->program->tensorBlocks != 2)
    return true;
  Block *peer = pairOf(block);
  if (peer && peer->liveWarps > 0)
    return true;
  fault(warp, i, "tcgen05-pair",
        peer ? text("`", block.grid->opcodeOf(i), "` needs the other block of the pair, ", peer->name(),
                    ", which has ended")
             : text("`", block.grid->opcodeOf(i), "` in a cluster of ", block.cluster->blocks.size(),
                    ": `.cta_group::2` needs pairs of blocks"),
        lane);
  return false;
}

bool checkTcgen05(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  switch (op.form->what) {
  case Tcgen05What::Mma: return checkMma(warp, i, op);
  case Tcgen05What::Copy: return checkCopy(warp, i, op);
  case Tcgen05What::Shift: return checkShift(warp, i, op);
  }
  return false;
}

} // namespace lanescope::core::emulator
