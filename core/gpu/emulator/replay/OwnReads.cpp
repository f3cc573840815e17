#include "core/gpu/emulator/replay/OwnReads.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/StrongAccess.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostPlaces = 1 << 16; // places with strong writes that are kept

} // namespace

void OwnReads::begin() {
  writes_.clear();
  found_.clear();
}

bool OwnReads::concerns(const Program &program, uint32_t pc) const {
  const Instr &i = program.code[pc];
  return (orders_[pc] == StoreOrder::Load || orders_[pc] == StoreOrder::Write) &&
         isStrong(program.function->instructions[i.source].opcode, i);
}

Step OwnReads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const uint32_t pc = warp.block->grid->pcOf(i);
  const uint64_t cluster = warp.block->cluster->blocks[0]->linear;
  if (orders_[pc] == StoreOrder::Write) {
    forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
      if (writes_.size() == kMostPlaces && !writes_.contains(address))
        return;
      Writes &writes = writes_.try_emplace(address, Writes{cluster, cluster}).first->second;
      writes.several = writes.several || writes.last != cluster;
      writes.last = cluster;
    });
  } else if (std::ranges::find(found_, pc, &OwnRead::load) == found_.end()) {
    bool known = false;
    forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *, uint64_t address) {
      auto writes = writes_.find(address);
      if (known || writes == writes_.end() || !writes->second.several || writes->second.last != cluster)
        return;
      known = true;
      found_.push_back({pc, cluster, writes->second.first, address, i.access});
    });
  }
  return own(warp, i, mask);
}

} // namespace lanescope::core::emulator
