#include "core/gpu/emulator/machine/Cluster.h"

namespace lanescope::core::emulator {

void Cluster::begin(Grid &theGrid, uint64_t index, std::span<const uint32_t> sms, std::span<const uint64_t> starts) {
  grid = &theGrid;
  std::array<uint32_t, 3> first = grid->firstBlockOf(index);
  if (blocks.size() != sms.size())
    blocks.clear();
  blocks.resize(sms.size());
  open = false;
  lastArrival = released = 0;
  for (uint32_t rank = 0; rank < blocks.size(); ++rank) {
    if (!blocks[rank])
      blocks[rank] = std::make_unique<Block>();
    std::array<uint32_t, 3> id = first;
    id[0] += rank % grid->cluster[0];
    id[1] += rank / grid->cluster[0] % grid->cluster[1];
    id[2] += rank / grid->cluster[0] / grid->cluster[1];
    blocks[rank]->begin(*this, rank, id, sms[rank], starts[rank]);
  }
}

uint64_t Cluster::executed() const {
  uint64_t sum = 0;
  for (const auto &block : blocks)
    sum += block->executed;
  return sum;
}

uint64_t Cluster::effects() const {
  uint64_t sum = 0;
  for (const auto &block : blocks)
    sum += block->effects;
  return sum;
}

uint64_t Cluster::signals() const {
  uint64_t sum = 0;
  for (const auto &block : blocks)
    sum += block->signals;
  return sum;
}

Block *Cluster::faulted() const {
  for (const auto &block : blocks)
    if (block->fault)
      return block.get();
  return nullptr;
}

} // namespace lanescope::core::emulator
