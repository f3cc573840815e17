#include "core/gpu/emulator/schedule/ClusterPlacement.h"

#include "core/gpu/emulator/machine/CostModel.h"

#include <algorithm>

namespace lanescope::core::emulator {

Placement::Placement(const Grid &grid) {
  clusterSize_ = grid.clusterBlocks();
  auto sms = static_cast<uint64_t>(grid.program->machine->multiprocessors);
  groups_.resize(std::max<uint64_t>(sms / clusterSize_, 1));
  for (Group &group : groups_)
    group.free.assign(grid.residentBlocks, 0);
}

std::vector<uint32_t> Placement::sms(uint64_t cluster) const {
  std::vector<uint32_t> out(clusterSize_);
  for (uint64_t rank = 0; rank < clusterSize_; ++rank)
    out[rank] = static_cast<uint32_t>(cluster % groups() * clusterSize_ + rank);
  return out;
}

uint64_t Placement::start(uint64_t cluster) const {
  const Group &own = group(cluster);
  uint64_t free = std::ranges::min(own.free) + cost::kBlockStart;
  return own.ended ? std::max(free, own.began + cost::kBlockEvery) : free;
}

uint64_t Placement::end(uint64_t index, const Cluster &cluster) {
  Group &own = groups_[index % groups()];
  auto place = std::ranges::min_element(own.free);
  uint64_t began = start(index), end = began;
  UnitCycles most{}; // the maximum over its blocks, each of which has an SM of its own
  for (const auto &block : cluster.blocks) {
    end = std::max(end, block->endTime());
    std::ranges::transform(most, block->work.cycles(block->executed), most.begin(),
                           [](uint64_t a, uint64_t b) { return std::max(a, b); });
  }
  end = std::max(end, own.units.serve(began, most));
  own.began = began;
  ++own.ended;
  return *place = end;
}

} // namespace lanescope::core::emulator
