#include "core/gpu/emulator/check/TensorRaces.h"

#include <algorithm>

namespace lanescope::core::emulator {

void TensorRaces::begin(uint32_t blocks) {
  blocks_ = blocks;
  cells_.clear();
  accesses_.clear();
  moves_.assign(order_.grid().program->tensorMemory ? size_t(order_.warps()) * 2 : 0, 0);
  number_ = kNoUse;
  unwritten_.reset();
}

void TensorRaces::issue(const Warp &warp, const Instr &i, TensorUse use, TensorOp op, uint64_t accumulator) {
  if (accesses_.size() > kSweepAt)
    sweep();
  uint32_t w = order_.numberOf(warp);
  me_ = {};
  me_.use = use;
  me_.op = op;
  me_.warp = w;
  me_.epoch = use == TensorUse::Op ? order_.issued(warp, AsyncUnit::Tensor)
                                   : ++moves_[size_t(w) * 2 + (use == TensorUse::Store)];
  me_.issued = order_.view(w).seen[static_cast<Agent>(w)];
  me_.accumulator = accumulator;
  me_.pc = order_.pcOf(i);
  number_ = kNoUse;
}

void TensorRaces::waited(const Warp &warp, TensorUse use) {
  uint32_t w = order_.numberOf(warp);
  if (Epoch last = moves_[size_t(w) * 2 + (use == TensorUse::Store)])
    order_.learning(warp).tensor.raise(Ordering::tensorAgent(w, static_cast<uint32_t>(use)), last);
}

/// Adds the access issued last to the set of readers. It replaces the warp's earlier reads of its class: an access that
/// is ordered after the new read is ordered after them, too.
uint32_t TensorRaces::addReader(uint32_t reads) {
  return accesses_.addReader(reads, me_,
                             [&](const Access &other) { return other.warp != me_.warp || other.use != me_.use; });
}

bool TensorRaces::pipelined(const Access &before, bool beforeWrites, const Access &after) {
  if (before.use != TensorUse::Op || after.use != TensorUse::Op)
    return false;
  switch (before.op) {
  case TensorOp::Mma:
    return after.op == TensorOp::Shift ||
           (after.op == TensorOp::Mma && (before.accumulator == after.accumulator || !beforeWrites)) ||
           (after.op == TensorOp::Copy && !beforeWrites);
  case TensorOp::Copy:
  case TensorOp::Shift: return after.op != TensorOp::Shift;
  case TensorOp::None: break;
  }
  return false;
}

bool TensorRaces::ordered(const View &view, const Access &other, bool otherWrites, const Access &me) const {
  Agent agent = Ordering::tensorAgent(other.warp, static_cast<uint32_t>(other.use));
  if (view.tensor.covers(agent, other.epoch))
    return true;
  if (other.warp == me.warp && other.use == TensorUse::Op && me.use == TensorUse::Op && other.epoch == me.epoch)
    return true; // the mma itself writes this D
  if (other.op == TensorOp::Mma && me.op == TensorOp::Copy && order_.isStrict(StrictForm::CopyAfterMma))
    return false;
  return (other.warp == me.warp || view.tensorIssued.covers(agent, other.epoch)) && pipelined(other, otherWrites, me);
}

bool TensorRaces::read(Warp &warp, const Instr &i, uint32_t rank, std::span<const CellBox> boxes) {
  uint32_t okWrite = kNoUse, oldReads = kNoUse, newReads = kNoUse;
  return forCells(rank, boxes, [&](Cell &cell, Place place) {
    if (cell.write == kNoUse) {
      noteUnwritten(warp, i, place);
    } else if (cell.write != okWrite) {
      const Access &other = accesses_[cell.write];
      if (!ordered(order_.viewOf(warp), other, true, me_))
        return report(warp, i, {me_, false}, {other, true}, place);
      okWrite = cell.write;
    }
    if (!newReads || cell.reads != oldReads) {
      if (newReads && cell.reads == newReads)
        return true;
      oldReads = cell.reads;
      newReads = addReader(cell.reads);
    }
    cell.reads = newReads;
    return true;
  });
}

bool TensorRaces::write(Warp &warp, const Instr &i, uint32_t rank, std::span<const CellBox> boxes) {
  uint32_t okWrite = kNoUse, okReads = kNoUse;
  if (!number_)
    number_ = accesses_.add(me_);
  return forCells(rank, boxes, [&](Cell &cell, Place place) {
    if (cell.reads != okReads) {
      for (uint32_t r = cell.reads; r; r = accesses_[r].rest) {
        const Access &other = accesses_[r];
        if (ordered(order_.viewOf(warp), other, false, me_))
          continue;
        bool early = cell.write == kNoUse && other.use == TensorUse::Load && me_.use == TensorUse::Op;
        return early ? reportEarly(warp, other, me_, place) : report(warp, i, {me_, true}, {other, false}, place);
      }
      okReads = cell.reads;
    }
    if (cell.write != okWrite && cell.write != number_) {
      const Access &other = accesses_[cell.write];
      if (!ordered(order_.viewOf(warp), other, true, me_))
        return report(warp, i, {me_, true}, {other, true}, place);
      okWrite = cell.write;
    }
    cell = {number_, kNoUse};
    return true;
  });
}

void TensorRaces::allocated(uint32_t rank, uint32_t column, uint32_t columns) {
  if (cells_.empty())
    cells_.resize(size_t(blocks_) * kPerBlock);
  std::fill_n(cells(rank, column, 0), size_t(columns) * kGroups, Cell{});
}

/// Drops accesses that no cell refers to.
void TensorRaces::sweep() {
  accesses_.sweep([&](auto move) {
    for (Cell &cell : cells_)
      cell = {move(cell.write), move(cell.reads)};
  });
}

} // namespace lanescope::core::emulator
