#include "core/gpu/emulator/async/Tcgen05Checks.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/TmemAccess.h"
#include "core/gpu/emulator/sync/TmemPool.h"
#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

/// The lanes that tcgen05.shift moves: a quarter of all lanes.
std::array<CellBox, 1> shiftCells(uint32_t address) {
  TensorAddress at(address);
  CellBox box;
  box.lane = static_cast<uint16_t>(at.lane);
  box.lanes = kTmemQuarter;
  box.column = static_cast<uint16_t>(at.column);
  box.columns = kShiftColumns;
  return {box};
}

/// A number that identifies the D of an mma. Two mmas get the same number if they have the same accumulator, shape and
/// kind.
uint64_t accumulatorOf(const Tcgen05Op &op) {
  const layouts::TmemMmaShape &shape = op.mma->shape();
  const auto &known = layouts::matrixInstructions();
  auto kind =
      static_cast<uint64_t>(std::ranges::find_if(known,
                                                 [&](const layouts::MatrixInstruction &instruction) {
                                                   return instruction.family == layouts::MatrixFamily::Tcgen05 &&
                                                          instruction.kind == op.mma->opcode().kind;
                                                 }) -
                            known.begin());
  return uint64_t{op.operands.d} << 32 | static_cast<uint64_t>(shape.m) << 20 | static_cast<uint64_t>(shape.n) << 8 |
         kind;
}

struct Named {
  std::string name; // "D of `tcgen05.mma…`"
  std::span<const CellBox> boxes;
};

/// Reports an impossible descriptor or address as a fault. `what` names the instruction.
bool refuse(Warp &warp, const Instr &i, const Tcgen05Op &op, std::string_view what, std::string_view problem) {
  fault(warp, i, "tcgen05-operand", Message("{}: {}", what, problem), op.lane);
  return false;
}

bool allAllocated(Warp &warp, const Instr &i, const TensorBlocks &blocks, std::span<const Named> parts) {
  for (uint32_t n = 0; n < blocks.count; ++n)
    for (const Named &part : parts)
      if (!part.boxes.empty() && !tmemAllocated(warp, i, *blocks.all[n], part.boxes, part.name, blocks.count == 2))
        return false;
  return true;
}

/// Starts the operation for the checker, and checks its reads of shared memory, at `chunks` in each block.
bool begin(Warp &warp, const Instr &i, const TensorBlocks &blocks, TensorOp what, std::span<const uint32_t> chunks,
           uint64_t accumulator = 0) {
  Checker &checks = *warp.block->checks;
  Epoch epoch = checks.order.issue(warp, AsyncUnit::Tensor);
  Agent agent = checks.order.unitOf(warp, AsyncUnit::Tensor);
  checks.tensor.issue(warp, i, TensorUse::Op, what, accumulator);
  for (uint32_t n = 0; n < blocks.count && !chunks.empty(); ++n)
    if (!checks.shared.asyncReadChunks(warp, i, agent, epoch, chunks, blocks.all[n]->clusterRank))
      return false;
  return true;
}

/// Checks that the operands in tensor and shared memory are allocated and described correctly. If `checks` is set, also
/// checks that they are not in use. Returns false after a fault.
bool checkMma(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  Block &block = *warp.block;
  std::string opcode = text("`", block.grid->opcodeOf(i), "`");
  if (std::string problem = op.mma->problem(op.operands, kSharedBase, static_cast<uint32_t>(block.shared.size()));
      !problem.empty())
    return refuse(warp, i, op, text(opcode, " (", op.mma->name(), ")"), problem);
  TmemMmaCells cells = op.mma->cells(op.operands);
  const Named parts[] = {{text("D of ", opcode), cells.d},
                         {text("A of ", opcode), cells.a},
                         {text("the metadata of ", opcode), cells.metadata},
                         {text("the scales of A of ", opcode), cells.scaleA},
                         {text("the scales of B of ", opcode), cells.scaleB}};
  TensorBlocks blocks = tensorBlocksOf(block);
  if (!allAllocated(warp, i, blocks, parts))
    return false;
  if (!block.checks)
    return true;
  static thread_local std::vector<uint32_t> chunks;
  chunks.clear();
  if (!op.mma->aInTensorMemory())
    op.mma->chunksOfA(op.operands, chunks);
  op.mma->chunksOfB(op.operands, chunks);
  if (!begin(warp, i, blocks, TensorOp::Mma, chunks, accumulatorOf(op)))
    return false;
  for (uint32_t n = 0; n < blocks.count; ++n) {
    uint32_t rank = blocks.all[n]->clusterRank;
    for (const Named &part : parts)
      if ((part.boxes.data() != cells.d.data() || op.operands.accumulate) &&
          !block.checks->tensor.read(warp, i, rank, part.boxes))
        return false;
    if (!block.checks->tensor.write(warp, i, rank, cells.d))
      return false;
  }
  return true;
}

bool checkCopy(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  Block &block = *warp.block;
  const TmemCopy &copy = op.form->copy;
  std::string opcode = text("`", block.grid->opcodeOf(i), "`");
  if (std::string problem =
          copy.problem(op.operands.d, op.operands.b, kSharedBase, static_cast<uint32_t>(block.shared.size()));
      !problem.empty())
    return refuse(warp, i, op, opcode, problem);
  std::vector<CellBox> cells = copy.cells(op.operands.d);
  TensorBlocks blocks = tensorBlocksOf(block);
  const Named parts[] = {{opcode, cells}};
  if (!allAllocated(warp, i, blocks, parts))
    return false;
  if (!block.checks)
    return true;
  static thread_local std::vector<uint32_t> chunks;
  chunks.clear();
  copy.chunks(op.operands.b, chunks);
  if (!begin(warp, i, blocks, TensorOp::Copy, chunks))
    return false;
  for (uint32_t n = 0; n < blocks.count; ++n)
    if (!block.checks->tensor.write(warp, i, blocks.all[n]->clusterRank, cells))
      return false;
  return true;
}

bool checkShift(Warp &warp, const Instr &i, const Tcgen05Op &op) {
  Block &block = *warp.block;
  std::string opcode = text("`", block.grid->opcodeOf(i), "`");
  if (TensorAddress at(op.operands.d); at.lane % kTmemQuarter != 0)
    return refuse(warp, i, op, opcode,
                  text("it begins at ", describeTmem(op.operands.d), "; the lane is a multiple of 32"));
  auto cells = shiftCells(op.operands.d);
  TensorBlocks blocks = tensorBlocksOf(block);
  const Named parts[] = {{opcode, cells}};
  if (!allAllocated(warp, i, blocks, parts))
    return false;
  Checker *checks = block.checks;
  if (!checks)
    return true;
  if (!begin(warp, i, blocks, TensorOp::Shift, {}))
    return false;
  for (uint32_t n = 0; n < blocks.count; ++n)
    if (uint32_t rank = blocks.all[n]->clusterRank;
        !checks->tensor.read(warp, i, rank, cells) || !checks->tensor.write(warp, i, rank, cells))
      return false;
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
        peer ? Message("`{}` needs the other block of the pair, {}, which has ended", block.grid->opcodeOf(i),
                       peer->name())
             : Message("`{}` is in a cluster of {count}: `.cta_group::2` needs pairs of blocks",
                       block.grid->opcodeOf(i), block.cluster->blocks.size()),
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
