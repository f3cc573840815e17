#include "core/gpu/emulator/replay/RacingValues.h"

#include "core/gpu/emulator/replay/GlobalPlaces.h"

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostBytes = 1 << 20; // of loads: beyond, values are as they are

uint64_t numberOf(const Warp &warp) { return threadOf(warp, 0) / kLanes; }

} // namespace

RacingValues::RacingValues(const RacingReads &reads, Of of) : reads_(reads) {
  if (of == Of::Instructions)
    for (const RacingRead &read : reads)
      loads_.insert(read.pc);
}

bool RacingValues::concerns(const Program &program, uint32_t pc) const {
  return globalAccessOf(program, pc) != GlobalAccess::None;
}

Step RacingValues::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const Grid &grid = *warp.block->grid;
  bool loads = globalAccessOf(*grid.program, grid.pcOf(i)) == GlobalAccess::Load;
  return loads ? load(warp, i, mask, own) : write(warp, i, mask, own);
}

void RacingValues::choose(Mode mode) {
  mode_ = mode;
  writes_.clear();
  given_.clear();
  met_.clear();
  waiting_.clear();
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

bool RacingValues::isComplete() const { return loaded_.size() < kMostBytes; }

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

bool RacingValues::races(const Warp &warp, uint32_t pc) const {
  return loads_.empty() ? reads_.contains({warp.block->grid->device, warp.block->linear, warp.id, pc})
                        : loads_.contains(pc);
}

std::byte RacingValues::valueFor(Place place, std::byte now) {
  switch (mode_) {
  case Mode::Record: break;
  case Mode::Older: {
    auto write = writes_.find(place.second);
    bool other = write != writes_.end() && write->second.warp != place.first;
    return given_.emplace(place, other ? write->second.before : now).first->second;
  }
  case Mode::Newer:
    if (auto newer = newer_.find(place); place.first == to_ && met_.insert(place).second && newer != newer_.end())
      return newer->second;
    break;
  }
  return now;
}

Step RacingValues::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  warpsOfBlock_ = warp.block->warps.size();
  uint32_t pc = warp.block->grid->pcOf(i);
  uint64_t me = numberOf(warp);
  std::map<std::byte *, std::byte> others; // each byte once, though lanes share it
  if (races(warp, pc))
    forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *at, uint64_t address) {
      for (uint32_t n = 0; n < i.access; ++n) {
        Place place{me, address + n};
        if (mode_ == Mode::Record && loaded_.size() < kMostBytes)
          loaded_.insert(place.second);
        if (!others.contains(at + n))
          others.emplace(at + n, valueFor(place, at[n]));
        if (mode_ == Mode::Record && met_.insert(place).second)
          waiting_[place.second].emplace_back(me, pc);
      }
    });
  for (auto &[at, value] : others)
    std::swap(*at, value);
  Step step = own(warp, i, mask);
  for (auto &[at, value] : others)
    std::swap(*at, value);
  return step;
}

Step RacingValues::write(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  uint64_t me = numberOf(warp);
  std::map<uint64_t, const std::byte *> written;
  forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *at, uint64_t address) {
    for (uint32_t n = 0; n < i.access; ++n)
      if (loaded_.contains(address + n) && written.emplace(address + n, at + n).second) {
        if (Write write{me, at[n]}; !writes_.try_emplace(address + n, write).second && last_)
          writes_[address + n] = write;
        given_.erase({me, address + n});
        met_.insert({me, address + n});
      }
  });
  Step step = own(warp, i, mask);
  for (auto [address, at] : written)
    if (auto waiting = waiting_.find(address); waiting != waiting_.end())
      for (auto [reader, pc] : std::exchange(waiting->second, {}))
        if (reader != me) {
          newer_.emplace(Place{reader, address}, *at);
          readers_[pc].insert(reader);
        }
  return step;
}

} // namespace lanescope::core::emulator
