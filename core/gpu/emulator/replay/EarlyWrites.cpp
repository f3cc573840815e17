#include "core/gpu/emulator/replay/EarlyWrites.h"

#include "core/gpu/emulator/machine/Cluster.h"

namespace lanescope::core::emulator {

namespace {

// Warp instructions of a waiting cluster in which at least one other cluster starts (Turns.cpp).
constexpr uint64_t kRound = 256;

} // namespace

void EarlyWrites::begin() {
  stops_.begin();
  begun_ = false;
  writers_.clear();
  writes_.clear();
  accesses_ = othersWrites_ = 0;
}

bool EarlyWrites::concerns(const Program &, uint32_t pc) const { return orders_[pc] != StoreOrder::None; }

bool EarlyWrites::writesPlace(Warp &warp, const Instr &i, uint32_t mask) const {
  bool writes = false;
  if (orders_[warp.block->grid->pcOf(i)] == StoreOrder::Write)
    forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
      writes = writes || (address < read_.address + read_.bytes && read_.address < address + i.access);
    });
  return writes;
}

bool EarlyWrites::mayPublish(Warp &warp, const Instr &i, uint32_t mask) const {
  const uint32_t pc = warp.block->grid->pcOf(i);
  const StoreOrder order = orders_[pc];
  return order == StoreOrder::Fence || (order == StoreOrder::Load && i.strong) || order == StoreOrder::Full ||
         i.releases || (order == StoreOrder::Write && !writes_.contains(pc) && !writesPlace(warp, i, mask));
}

Step EarlyWrites::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  if (warp.block->cluster->blocks[0]->linear == cluster_)
    return executeFirst(warp, i, mask, own);
  if (!begun_ && writesPlace(warp, i, mask)) {
    if (stops_.waits(warp, accesses_))
      return Step::Later;
    begun_ = true;
  }
  ++accesses_;
  const uint64_t effects = warp.block->effects;
  Step step = own(warp, i, mask);
  othersWrites_ += orders_[warp.block->grid->pcOf(i)] == StoreOrder::Write &&
                   warp.block->effects != effects; // a poll by atomics changes nothing
  return step;
}

Step EarlyWrites::executeFirst(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  auto writer = writers_.find(warpOf(warp));
  if (writer != writers_.end() && !writer->second && mayPublish(warp, i, mask)) {
    begun_ = true;
    const Grid &grid = *warp.block->grid;
    if (stops_.waits(warp, othersWrites_, QuietStops::kMostPatience + kRound * grid.clusterCount()))
      return Step::Later;
    writer->second = true;
  }
  ++accesses_;
  const bool writes = writesPlace(warp, i, mask);
  const uint64_t effects = warp.block->effects;
  Step step = own(warp, i, mask);
  if (writes && warp.block->effects != effects) { // a compare-and-swap that fails writes nothing
    writers_.try_emplace(warpOf(warp), false);
    writes_.insert(warp.block->grid->pcOf(i));
  }
  return step;
}

} // namespace lanescope::core::emulator
