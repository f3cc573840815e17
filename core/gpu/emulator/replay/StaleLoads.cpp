#include "core/gpu/emulator/replay/StaleLoads.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/StrongAccess.h"
#include "core/gpu/emulator/replay/LateStores.h"
#include "core/gpu/emulator/replay/ScFence.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kAllWarps = 0; // the owner in a table that stands for all warps

} // namespace

bool StaleLoads::concerns(const Program &program, uint32_t pc) const {
  const Instr &instr = program.code[pc];
  std::string_view opcode = program.function->instructions[instr.source].opcode;
  if (accesses_[pc] == GlobalAccess::None)
    return isScFence(opcode);
  return isStrong(opcode, instr);
}

Step StaleLoads::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  switch (accesses_[warp.block->grid->pcOf(i)]) {
  case GlobalAccess::None: return fence(warp, i, mask, own);
  case GlobalAccess::Load: return load(warp, i, mask, own);
  case GlobalAccess::Write: break;
  }
  return write(warp, i, mask, own);
}

Step StaleLoads::fence(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  forLanes(mask, [&](uint32_t lane) { fences_.fence(threadOf(warp, lane)); });
  return own(warp, i, mask);
}

void StaleLoads::met(const Warp &warp, uint32_t lane, uint64_t address, uint32_t bytes, Meeting meeting) {
  const auto *written = written_.find(kAllWarps, address);
  uint32_t bits = written ? written->known & lineBits(address, bytes) : 0;
  if (!bits)
    return;
  auto &met = met_.at(warpOf(warp), address);
  Ordering &order = warp.block->checks->order;
  forBytes(bits, [&](uint32_t n) {
    Met &one = met.values[n];
    one.lanes |= meeting == Meeting::Write ? 0 : 1u << lane;
    if (meeting == Meeting::OldLoad || one.number == written->values[n].number)
      return;
    one.number = written->values[n].number;
    one.epoch = order.viewOf(warp).seen[static_cast<Agent>(order.numberOf(warp))];
  });
}

bool StaleLoads::comesAfterMeeting(const Warp &warp, uint64_t address, uint32_t number) {
  Ordering &order = warp.block->checks->order;
  const View &view = order.viewOf(warp);
  for (const auto &block : warp.block->cluster->blocks)
    for (const Warp &other : block->warps) {
      const auto *met = met_.find(warpOf(other), address);
      if (!met || met->values[lineByte(address)].number != number)
        continue;
      Epoch epoch = met->values[lineByte(address)].epoch;
      auto agent = static_cast<Agent>(order.numberOf(other));
      if (&other == &warp ? epoch <= order.lanesOf(agent).all : view.seen.covers(agent, epoch))
        return true;
    }
  return false;
}

Step StaleLoads::write(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const bool takesNumber = takesNumber_[warp.block->grid->pcOf(i)];
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    ++writes_;
    auto &written = written_.at(kAllWarps, address);
    written.known |= lineBits(address, i.access);
    const uint64_t thread = threadOf(warp, lane);
    for (uint32_t n = 0; n < i.access; ++n) {
      fences_.write(thread, address + n);
      written.values[lineByte(address) + n] = {at[n], takesNumber, writes_, fences_.fences(thread), thread};
    }
    met(warp, lane, address, i.access, Meeting::Write);
  });
  return own(warp, i, mask);
}

void StaleLoads::findStale(Warp &warp, uint32_t lane, std::byte *at, uint64_t address, uint32_t bytes,
                           std::vector<Part> &stale) {
  const auto *written = written_.find(kAllWarps, address);
  if (!written || (written->known & lineBits(address, bytes)) == 0)
    return;
  const auto *met = met_.find(warpOf(warp), address);
  const Written *first = written->values.data() + lineByte(address); // bytes without a write have the number 0
  for (uint32_t n = 0, end = 0; n < bytes; n = end) {
    bool gives = first[n].number != 0, differs = false;
    for (end = n; end < bytes && first[end].number == first[n].number; ++end) {
      gives = gives && !(met && (met->values[lineByte(address) + end].lanes >> lane & 1));
      differs = differs || first[end].before != at[end];
    }
    if (gives && differs && warp.block->checks->global.mayBeStale(warp, address + n) &&
        !comesAfterMeeting(warp, address + n, first[n].number) &&
        !fences_.forces(first[n].thread, first[n].fences, threadOf(warp, lane))) {
      if (first[n].takesNumber)
        counters_.add(*warp.block->grid, address + n, end - n);
      for (uint32_t byte = n; byte < end; ++byte) {
        fences_.readOlder(threadOf(warp, lane), address + byte, first[n].thread, first[n].fences);
        if (first[byte].before != at[byte])
          stale.push_back({at + byte, first[byte].before});
      }
    }
  }
}

void StaleLoads::read(const Warp &warp, uint32_t lane, uint64_t address, uint32_t bytes) {
  const uint64_t thread = threadOf(warp, lane);
  if (!late_)
    return fences_.read(thread, address, bytes);
  for (uint64_t byte = address; byte < address + bytes; ++byte) {
    const auto *written = late_->hides(warp, byte) ? written_.find(kAllWarps, byte) : nullptr;
    if (!written) {
      fences_.read(thread, byte);
      continue;
    }
    const Written &last = written->values[lineByte(byte)];
    fences_.readOlder(thread, byte, last.thread, last.fences);
  }
}

Step StaleLoads::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  bool gives = warp.block->grid->pcOf(i) == load_;
  std::vector<Part> stale; // one entry per byte and lane: lanes that load the same byte get the same value
  if (gives)
    forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
      findStale(warp, lane, at, address, i.access, stale);
    });
  forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *, uint64_t address) {
    met(warp, lane, address, i.access, stale.empty() ? Meeting::Load : Meeting::OldLoad);
    if (stale.empty())
      read(warp, lane, address, i.access);
  });
  if (!stale.empty())
    ++warp.block->effects; // a poll will read something else
  for (Part &part : stale)
    std::swap(*part.at, part.value);
  Step step = own(warp, i, mask);
  for (Part &part : stale | std::views::reverse)
    std::swap(*part.at, part.value);
  return step;
}

} // namespace lanescope::core::emulator
