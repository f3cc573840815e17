#include "core/gpu/emulator/RacingValues.h"

#include "core/gpu/emulator/GlobalPlaces.h"

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostBytes = 1 << 20; // of loads: beyond, values are as they are

uint64_t numberOf(const Warp &warp) { return threadOf(warp, 0) / kLanes; }

} // namespace

RacingValues::RacingValues(Program &program, const RacingReads &reads, Of of) : program_(program), reads_(reads) {
  if (of == Of::Instructions)
    for (const RacingRead &read : reads)
      loads_.insert(read.pc);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    if (GlobalAccess access = globalAccessOf(program, pc); access != GlobalAccess::None) {
      own_.emplace(pc, program.code[pc].run);
      program.code[pc].run = access == GlobalAccess::Load ? &load : &write;
    }
}

RacingValues::~RacingValues() {
  for (auto [pc, run] : own_)
    program_.code[pc].run = run;
}

RacingValues &RacingValues::of(const Warp &warp) {
  return *static_cast<const RecordedGrid &>(*warp.block->grid).values;
}

void RacingValues::begin(Mode mode) {
  mode_ = mode;
  writes_.clear();
  given_.clear();
  met_.clear();
  waiting_.clear();
}

void RacingValues::giveOlder(bool last) {
  begin(Mode::Older);
  last_ = last;
}

void RacingValues::record() { begin(Mode::Record); }

void RacingValues::giveNewer(uint32_t block, uint32_t warp) {
  begin(Mode::Newer);
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

Step RacingValues::load(Warp &warp, const Instr &i, uint32_t mask) {
  RacingValues &self = of(warp);
  self.warpsOfBlock_ = warp.block->warps.size();
  auto pc = static_cast<uint32_t>(&i - self.program_.code.data());
  uint64_t me = numberOf(warp);
  std::map<std::byte *, std::byte> others; // each byte once, though lanes share it
  if (self.races(warp, pc))
    forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *at, uint64_t address) {
      for (uint32_t n = 0; n < i.access; ++n) {
        Place place{me, address + n};
        if (self.mode_ == Mode::Record && self.loaded_.size() < kMostBytes)
          self.loaded_.insert(place.second);
        if (!others.contains(at + n))
          others.emplace(at + n, self.valueFor(place, at[n]));
        if (self.mode_ == Mode::Record && self.met_.insert(place).second)
          self.waiting_[place.second].emplace_back(me, pc);
      }
    });
  for (auto &[at, value] : others)
    std::swap(*at, value);
  Step step = self.own_.at(pc)(warp, i, mask);
  for (auto &[at, value] : others)
    std::swap(*at, value);
  return step;
}

Step RacingValues::write(Warp &warp, const Instr &i, uint32_t mask) {
  RacingValues &self = of(warp);
  uint64_t me = numberOf(warp);
  std::map<uint64_t, const std::byte *> written;
  forGlobalPlaces(warp, i, mask, [&](uint32_t, std::byte *at, uint64_t address) {
    for (uint32_t n = 0; n < i.access; ++n)
      if (self.loaded_.contains(address + n) && written.emplace(address + n, at + n).second) {
        if (Write write{me, at[n]}; !self.writes_.try_emplace(address + n, write).second && self.last_)
          self.writes_[address + n] = write;
        self.given_.erase({me, address + n});
        self.met_.insert({me, address + n});
      }
  });
  Step step = self.own_.at(static_cast<uint32_t>(&i - self.program_.code.data()))(warp, i, mask);
  for (auto [address, at] : written)
    if (auto waiting = self.waiting_.find(address); waiting != self.waiting_.end())
      for (auto [reader, pc] : std::exchange(waiting->second, {}))
        if (reader != me) {
          self.newer_.emplace(Place{reader, address}, *at);
          self.readers_[pc].insert(reader);
        }
  return step;
}

} // namespace lanescope::core::emulator
