#include "core/gpu/emulator/replay/RacingValues.h"

#include "core/gpu/emulator/machine/Block.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostBytes = 1 << 20; // the most loaded bytes that are recorded; loads of other bytes stay unperturbed
constexpr uint64_t kAll = 0;           // one owner that stands for all owners

} // namespace

RacingValues::RacingValues(const Program &program, const RacingReads &reads, Of of, Apart apart)
    : reads_(reads), apart_(apart), accesses_(globalAccessesOf(program)),
      takesNumber_(atomicsThatTakeNumbers(program)) {
  if (of == Of::Instructions)
    for (const RacingRead &read : reads)
      loads_.insert(read.pc);
}

bool RacingValues::concerns(const Program &, uint32_t pc) const { return accesses_[pc] != GlobalAccess::None; }

Step RacingValues::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  bool loads = accesses_[warp.block->grid->pcOf(i)] == GlobalAccess::Load;
  return loads ? load(warp, i, mask, own) : write(warp, i, mask, own);
}

void RacingValues::choose(Mode mode) {
  mode_ = mode;
  writes_.clear();
  given_.clear();
  own_.clear();
  count_ = 0;
  met_.clear();
  waiting_.clear();
  waiters_.assign(1, {}); // number 0 ends a list
}

void RacingValues::giveOlder(bool last) {
  choose(Mode::Older);
  last_ = last;
}

void RacingValues::record() { choose(Mode::Record); }

void RacingValues::giveNewer(uint32_t block, uint32_t warp) {
  choose(Mode::Newer);
  to_ = block * warpsOfBlock_ + warp;
}

bool RacingValues::isComplete() const { return loadedBytes_ < kMostBytes; }

std::vector<std::pair<uint32_t, uint32_t>> RacingValues::warps(size_t most) const {
  std::set<uint64_t> chosen;
  for (bool oneOfEach : {true, false})
    for (const auto &[pc, warps] : readers_)
      for (uint64_t warp : warps) {
        if (chosen.size() < most)
          chosen.insert(warp);
        if (oneOfEach)
          break;
      }
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (uint64_t warp : chosen)
    out.emplace_back(static_cast<uint32_t>(warp / warpsOfBlock_), static_cast<uint32_t>(warp % warpsOfBlock_));
  return out;
}

uint64_t RacingValues::ownerOf(const Warp &warp, uint32_t lane) const {
  return apart_ == Apart::Lanes ? threadOf(warp, lane) : warpOf(warp);
}

uint64_t RacingValues::warpOfOwner(uint64_t owner) const { return apart_ == Apart::Lanes ? owner / kLanes : owner; }

template <class Visit> void RacingValues::forOwnPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) const {
  apart_ == Apart::Lanes ? forGlobalPlaces(warp, i, mask, visit) : forDistinctPlaces(warp, i, mask, visit);
}

bool RacingValues::races(const Warp &warp, uint32_t pc) const {
  return loads_.empty() ? reads_.contains({warp.block->grid->device, warp.block->linear, warp.id, pc})
                        : loads_.contains(pc);
}

// --- loads -----------------------------------------------------------------------------------------------------------

void RacingValues::Other::swap() {
  forBytes(bits, [&](uint32_t n) { std::swap(at[n], values[n]); });
}

void RacingValues::recordLoad(uint64_t me, uint32_t pc, uint64_t address, uint32_t bits) {
  if (loadedBytes_ < kMostBytes) {
    uint32_t &known = loaded_.at(kAll, address).known;
    uint32_t fresh = bits & ~known;
    while (loadedBytes_ + static_cast<size_t>(std::popcount(fresh)) > kMostBytes)
      fresh &= ~std::bit_floor(fresh);
    known |= fresh;
    loadedBytes_ += static_cast<size_t>(std::popcount(fresh));
  }
  uint32_t &met = met_.at(me, address).known, first = bits & ~met;
  met |= bits;
  if (!first)
    return;
  auto &waiting = waiting_.at(kAll, address);
  forBytes(first, [&](uint32_t n) {
    waiters_.push_back({me, pc, waiting.values[n]});
    waiting.values[n] = static_cast<uint32_t>(waiters_.size() - 1);
  });
}

void RacingValues::chooseOlder(uint64_t me, uint64_t thread, uint64_t address, uint32_t bits, Other &other) {
  auto &given = given_.at(me, address);
  if (uint32_t fresh = bits & ~given.known) {
    const auto *writes = writes_.find(kAll, address);
    const auto *own = own_.find(thread, address);
    forBytes(fresh, [&](uint32_t n) {
      bool older = writes && (writes->known >> n & 1) && writes->values[n].owner != me &&
                   !(own && own->values[n] > writes->values[n].number);
      given.values[n] = older ? writes->values[n].before : other.at[n];
    });
    given.known |= fresh;
  }
  other.bits = bits;
  other.values = given.values;
}

void RacingValues::chooseNewer(uint64_t me, uint64_t address, uint32_t bits, Other &other) {
  uint32_t &met = met_.at(me, address).known, first = bits & ~met;
  met |= bits;
  if (const auto *newer = newer_.find(me, address); newer && (newer->known & first)) {
    other.bits = newer->known & first;
    other.values = newer->values;
  }
}

Step RacingValues::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  warpsOfBlock_ = warp.block->warps.size();
  uint32_t pc = warp.block->grid->pcOf(i);
  if ((mode_ == Mode::Newer && warpOf(warp) != to_) || !races(warp, pc))
    return own(warp, i, mask);
  Other others[kLanes];
  uint32_t count = 0;
  forOwnPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    uint64_t me = ownerOf(warp, lane);
    uint32_t bits = lineBits(address, i.access);
    if (mode_ == Mode::Record)
      return recordLoad(me, pc, address, bits);
    Other &other = others[count];
    other.at = at - lineByte(address);
    mode_ == Mode::Older ? chooseOlder(me, threadOf(warp, lane), address, bits, other)
                         : chooseNewer(me, address, bits, other);
    count += other.bits != 0;
  });
  for (uint32_t n = 0; n < count; ++n)
    others[n].swap();
  Step step = own(warp, i, mask);
  while (count > 0) // in reverse order, because lanes may share bytes
    others[--count].swap();
  return step;
}

// --- writes ----------------------------------------------------------------------------------------------------------

/// Records the bytes after a write as the next values for the owners that wait for them.
void RacingValues::recordWrite(uint64_t me, const std::byte *line, uint64_t address, uint32_t bits) {
  auto *waiting = waiting_.find(kAll, address);
  if (!waiting)
    return;
  forBytes(bits, [&](uint32_t n) {
    for (uint32_t next = std::exchange(waiting->values[n], 0); next; next = waiters_[next].next) {
      const Waiting &waiter = waiters_[next];
      if (waiter.owner == me)
        continue;
      auto &newer = newer_.at(waiter.owner, address);
      if (!(newer.known >> n & 1))
        newer.values[n] = line[n];
      newer.known |= 1u << n;
      readers_[waiter.pc].insert(warpOfOwner(waiter.owner));
    }
  });
}

void RacingValues::recordUpdate(const Grid &grid, uint64_t address, uint32_t bits, bool takesNumber) {
  auto &known = (takesNumber ? numbers_ : others_).at(kAll, address).known;
  const uint32_t fresh = bits & ~known;
  if (!fresh)
    return;
  known |= fresh;
  const auto *others = others_.find(kAll, address);
  const uint64_t line = address - lineByte(address);
  forBytes(fresh, [&](uint32_t n) {
    if (!takesNumber)
      counters_.remove(grid, line + n, 1);
    else if (!others || !(others->known >> n & 1))
      counters_.add(grid, line + n, 1);
  });
}

Step RacingValues::write(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  if (mode_ == Mode::Newer && warpOf(warp) != to_)
    return own(warp, i, mask);
  struct Written {
    const std::byte *line = nullptr;
    uint64_t owner = 0, address = 0;
    uint32_t bits = 0;
  };
  Written written[kLanes];
  uint32_t count = 0;
  const Grid &grid = *warp.block->grid;
  forOwnPlaces(warp, i, mask, [&](uint32_t lane, std::byte *at, uint64_t address) {
    uint64_t me = ownerOf(warp, lane);
    const auto *loaded = loaded_.find(kAll, address);
    uint32_t bits = loaded ? lineBits(address, i.access) & loaded->known : 0;
    if (!bits)
      return;
    const std::byte *line = at - lineByte(address);
    written[count++] = {line, me, address, bits};
    if (mode_ == Mode::Record)
      recordUpdate(grid, address, bits, takesNumber_[grid.pcOf(i)]);
    if (mode_ != Mode::Older) {
      met_.at(me, address).known |= bits;
      return;
    }
    ++count_;
    if (takesNumber_[grid.pcOf(i)]) {
      auto &own = own_.at(threadOf(warp, lane), address);
      forBytes(bits, [&](uint32_t n) { own.values[n] = count_; });
    }
    auto &writes = writes_.at(kAll, address);
    forBytes(last_ ? bits : bits & ~writes.known, [&](uint32_t n) { writes.values[n] = {me, count_, line[n]}; });
    writes.known |= bits;
    if (auto *given = given_.find(me, address))
      given->known &= ~bits;
  });
  Step step = own(warp, i, mask);
  for (uint32_t n = 0; n < count && mode_ == Mode::Record; ++n)
    recordWrite(written[n].owner, written[n].line, written[n].address, written[n].bits);
  return step;
}

} // namespace lanescope::core::emulator
