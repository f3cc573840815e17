#include "core/gpu/emulator/replay/LateAtomics.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kMostLateAtomics = 64; // a run makes no more atomics late
// An atomic is performed in the end, whatever its thread does: the thread may poll for others that poll for the atomic.
constexpr uint32_t kMostAccesses = 8;

} // namespace

LateAtomics::LateAtomics(const Program &program, uint32_t atomic, uint64_t cluster, When when)
    : atomic_(atomic), cluster_(cluster), when_(when), orders_(storeOrdersOf(program)) {}

void LateAtomics::begin() {
  late_.clear();
  stops_.begin();
  othersWrites_ = 0;
  made_ = 0;
  finding_.reset();
}

bool LateAtomics::concerns(const Program &, uint32_t pc) const { return orders_[pc] != StoreOrder::None; }

bool LateAtomics::mustComeFirst(Warp &warp, const Instr &i, uint32_t mask, const Late &late) const {
  const uint32_t pc = warp.block->grid->pcOf(i);
  const StoreOrder order = orders_[pc];
  if (order == StoreOrder::Full || order == StoreOrder::Fence || i.releases || pc == atomic_)
    return true;
  bool again = false;
  forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
    again = again || std::ranges::any_of(late.places, [&](uint64_t place) {
              return address < place + late.atomic->access && place < address + i.access;
            });
  });
  return again;
}

Step LateAtomics::perform(Warp &warp, Late late, Own own) const {
  if (when_ == When::InTime)
    return Step::Next;
  auto swapRegisters = [&] { std::swap_ranges(late.registers.begin(), late.registers.end(), warp.regs); };
  const AddressRow row = std::exchange(warp.row, AddressRow{}); // the row describes the other registers
  swapRegisters();
  Step step = own(warp, *late.atomic, late.mask);
  swapRegisters(); // drops the atomic's result, which nothing reads
  warp.row = row;
  return step;
}

LateAtomics::Late LateAtomics::lateOf(Warp &warp, const Instr &i, uint32_t mask) const {
  const Grid &grid = *warp.block->grid;
  Late late{.atomic = &i, .mask = mask};
  late.registers.assign(warp.regs, warp.regs + grid.program->registerImage.size());
  uint32_t lane = kNone;
  forGlobalPlaces(warp, i, mask, [&](uint32_t l, std::byte *, uint64_t address) {
    lane = std::min(lane, l);
    late.places.push_back(address);
  });
  if (late.places.empty()) // the atomic will fault
    return late;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, late.places.front(), offset);
  late.finding = findingAt(
      warp, i, Severity::Error, "race",
      Message(
          "`{}` updates {place}, and the update may come after a later access of its thread; results depend on that",
          grid.opcodeOf(i), describeGlobal(*region, offset, i.access)),
      lane);
  return late;
}

Step LateAtomics::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  const uint32_t pc = grid.pcOf(i);
  if (auto late = late_.find(warpOf(warp)); late != late_.end()) {
    const bool inTheEnd = late->second.steps == kMostAccesses;
    if (inTheEnd || mustComeFirst(warp, i, mask, late->second)) {
      if (!inTheEnd && stops_.waits(warp, othersWrites_))
        return Step::Later;
      stops_.goesOn(warp);
      Late one = std::move(late->second);
      late_.erase(late);
      if (Step step = perform(warp, std::move(one), own); step == Step::Fault)
        return step;
    } else {
      ++late->second.steps;
      if (!finding_ && when_ == When::Late) {
        finding_ = late->second.finding;
        finding_->notes.push_back({grid.spanOf(i), text("the later access of the thread, `", grid.opcodeOf(i), "`")});
      }
    }
  }
  if (warp.block->cluster->blocks[0]->linear != cluster_) {
    const uint64_t effects = warp.block->effects;
    Step step = own(warp, i, mask);
    othersWrites_ +=
        orders_[pc] == StoreOrder::Write && warp.block->effects != effects; // a poll by atomics changes nothing
    return step;
  }
  if (pc != atomic_ || made_ == kMostLateAtomics)
    return own(warp, i, mask);
  Late late = lateOf(warp, i, mask);
  if (late.places.empty())
    return own(warp, i, mask);
  ++made_;
  late_.emplace(warpOf(warp), std::move(late));
  return when_ == When::Late ? Step::Next : own(warp, i, mask);
}

} // namespace lanescope::core::emulator
