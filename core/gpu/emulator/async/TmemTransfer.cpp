#include "core/gpu/emulator/async/TmemTransfer.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/memory/TmemAccess.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

/// Calls visit(register, lane, cell) for each register of each lane. `at` is the first cell.
template <class F> void forRegisters(const TmemMove &move, TensorAddress at, TensorCells &cells, F visit) {
  uint32_t unit = move.unit(), step = move.unitColumns();
  // For each register of `.x1`: the offset of each lane's cell, in cells.
  std::array<std::array<uint32_t, kLanes>, 4> offsets{};
  for (uint32_t reg = 0; reg < unit; ++reg)
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      TensorAddress cell = move.cell(reg, lane);
      offsets[reg][lane] = cell.lane * kTensorColumns + cell.column;
    }
  uint32_t *first = &cells.cells[at.lane][at.column];
  for (uint32_t reg = 0; reg < move.registers; ++reg) {
    uint32_t *from = first + reg / unit * step;
    const std::array<uint32_t, kLanes> &offset = offsets[reg % unit];
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      visit(reg, lane, from + offset[lane]);
  }
}

void writeCells(const TmemMove &move, TensorAddress at, const uint32_t *values, TensorCells &cells) {
  if (move.packs)
    forRegisters(move, at, cells, [&](uint32_t reg, uint32_t lane, uint32_t *cell) {
      uint32_t value = values[reg * kLanes + lane];
      cell[0] = value & 0xFFFF;
      cell[1] = value >> 16;
    });
  else
    forRegisters(move, at, cells,
                 [&](uint32_t reg, uint32_t lane, uint32_t *cell) { *cell = values[reg * kLanes + lane]; });
}

/// The address at which the access begins, and the cells of each of its parts.
struct Reach {
  TensorAddress at;
  std::array<CellBox, 2> boxes{};
  uint32_t count = 1;

  std::span<const CellBox> all() const { return {boxes.data(), count}; }
};
/// Finds which cells a load or a store accesses, and checks the access. Returns false after a fault.
bool reachOf(Warp &warp, const Instr &i, uint32_t mask, const TmemMove &move, TensorUse use, Reach &out) {
  uint32_t address = 0;
  if (!wholeWarp(warp, i, mask) || !tmemAddress(warp, i, mask, move.address, address))
    return false;
  const Grid &grid = *warp.block->grid;
  out.at = TensorAddress(address);
  uint32_t quarter = warp.id % 4 * kTmemQuarter, inQuarter = out.at.lane % kTmemQuarter;
  if (out.at.lane >= kTmemQuarter && out.at.lane - inQuarter != quarter) {
    fault(warp, i, "tmem-quarter",
          Message("`{}` of warp {} at {place}: this warp reaches lanes {} to {} alone", grid.opcodeOf(i), warp.id,
                  describeTmem(address), quarter, quarter + kTmemQuarter - 1));
    return false;
  }
  if (inQuarter % 16 != 0 || inQuarter + move.lanes() > kTmemQuarter) {
    fault(warp, i, "tmem-address",
          Message("`{}` at {place}; it takes {lanes} lanes from {}", grid.opcodeOf(i), describeTmem(address),
                  move.lanes(),
                  move.lanes() == 32 ? "the first of a warp's 32 on" : "the first or the 17th of a warp's 32 on"));
    return false;
  }
  out.at.lane = quarter + inQuarter;
  CellBox box;
  box.lane = static_cast<uint16_t>(out.at.lane);
  box.lanes = static_cast<uint16_t>(move.lanes());
  box.column = static_cast<uint16_t>(out.at.column);
  box.columns = static_cast<uint16_t>(move.columns());
  out.boxes = {box, box};
  if (move.shape == TmemShape::L16x32bx2) {
    out.count = 2;
    out.boxes[1].column = static_cast<uint16_t>(box.column + move.splitOffset);
  }
  if (!tmemAllocated(warp, i, *warp.block, out.all(), text("`", grid.opcodeOf(i), "`")))
    return false;
  Checker *checks = warp.block->checks;
  if (!checks)
    return true;
  checks->tensor.issue(warp, i, use);
  uint32_t rank = warp.block->clusterRank;
  return use == TensorUse::Load ? checks->tensor.read(warp, i, rank, out.all())
                                : checks->tensor.write(warp, i, rank, out.all());
}

template <class T, class Better> void reduce(Warp &warp, const Instr &i, Better better) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  const TmemMove &move = warp.block->grid->program->tmemMoves[i.imm];
  T *out = warp.reg<T>(i.d2);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    T best = warp.reg<T>(slots[0])[lane];
    if (move.reduction.absolute)
      best = better(best, best);
    for (uint32_t n = 1; n < move.registers; ++n)
      best = better(best, warp.reg<T>(slots[n])[lane]);
    out[lane] = best;
  }
}

void reduce(Warp &warp, const Instr &i) {
  TmemReduction how = warp.block->grid->program->tmemMoves[i.imm].reduction;
  auto whole = [how](auto a, auto b) { return (how.maximum ? a > b : a < b) ? a : b; };
  switch (how.type) {
  case TmemReduction::Type::S32: reduce<int32_t>(warp, i, whole); break;
  case TmemReduction::Type::U32: reduce<uint32_t>(warp, i, whole); break;
  case TmemReduction::Type::F32:
    // Computes min and max as for floats: -0 is less than +0. If one operand is a NaN, the result is the other operand
    // or, with `.NaN`, a canonical NaN.
    reduce<float>(warp, i, [how](float a, float b) {
      if (how.absolute) {
        a = std::fabs(a);
        b = std::fabs(b);
      }
      if (std::isnan(a) || std::isnan(b)) {
        if (how.nan || (std::isnan(a) && std::isnan(b)))
          return std::bit_cast<float>(0x7FFFFFFFu);
        return std::isnan(a) ? b : a;
      }
      if (a == b)
        return std::signbit(a) == how.maximum ? b : a;
      return (a > b) == how.maximum ? a : b;
    });
    break;
  case TmemReduction::Type::None: break;
  }
}

} // namespace

Step loadTmem(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  const Program &program = *block.grid->program;
  const TmemMove &move = program.tmemMoves[i.imm];
  Reach reach;
  if (!reachOf(warp, i, mask, move, TensorUse::Load, reach))
    return Step::Fault;
  const uint32_t *slots = program.lists.data() + i.list;
  if (move.packs)
    forRegisters(move, reach.at, *block.tmem.cells, [&](uint32_t reg, uint32_t lane, const uint32_t *cell) {
      warp.reg<uint32_t>(slots[reg])[lane] = (cell[0] & 0xFFFF) | cell[1] << 16;
    });
  else
    forRegisters(move, reach.at, *block.tmem.cells, [&](uint32_t reg, uint32_t lane, const uint32_t *cell) {
      warp.reg<uint32_t>(slots[reg])[lane] = *cell;
    });
  reduce(warp, i);
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kTmemLatency + move.registers * cost::kTmemPerRegister);
  if (FlightRecorder *flights = block.grid->flights)
    flights->loads(warp, reach.all(), warp.loadsReady);
  return Step::Next;
}

Step storeTmem(Warp &warp, const Instr &i, uint32_t mask) {
  Block &block = *warp.block;
  const Program &program = *block.grid->program;
  const TmemMove &move = program.tmemMoves[i.imm];
  Reach reach;
  if (!reachOf(warp, i, mask, move, TensorUse::Store, reach))
    return Step::Fault;
  if (FlightRecorder *flights = block.grid->flights)
    flights->stores(warp, i, reach.all());
  const uint32_t *slots = program.lists.data() + i.list;
  TmemStore store{&move, reach.at, std::vector<uint32_t>(size_t(move.registers) * kLanes)};
  for (uint32_t reg = 0; reg < move.registers; ++reg)
    std::copy_n(warp.reg<uint32_t>(slots[reg]), kLanes, store.values.data() + size_t(reg) * kLanes);
  ++block.effects;
  uint64_t drawn = (block.grid->seed * 0x9E3779B97F4A7C15ull) ^ (block.effects * 0xBF58476D1CE4E5B9ull);
  if (block.grid->instant || (block.grid->seed && (drawn >> 40 & 3) == 0))
    writeCells(move, reach.at, store.values.data(), *block.tmem.cells);
  else
    warp.tmemStores.push_back(std::move(store));
  warp.time += move.registers * cost::kTmemPerRegister;
  return Step::Next;
}

Step waitTmemLoads(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  warp.time = std::max(warp.time, warp.loadsReady);
  if (Checker *checks = warp.block->checks)
    checks->tensor.waited(warp, TensorUse::Load);
  return Step::Next;
}

Step waitTmemStores(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  Block &block = *warp.block;
  for (const TmemStore &store : warp.tmemStores)
    writeCells(*store.move, store.at, store.values.data(), *block.tmem.cells);
  if (!warp.tmemStores.empty())
    warp.time += cost::kTmemStoreWait;
  warp.tmemStores.clear();
  if (Checker *checks = block.checks)
    checks->tensor.waited(warp, TensorUse::Store);
  return Step::Next;
}

} // namespace lanescope::core::emulator
