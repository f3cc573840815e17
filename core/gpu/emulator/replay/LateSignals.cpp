#include "core/gpu/emulator/replay/LateSignals.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/StrongAccess.h"
#include "core/gpu/emulator/replay/ScFence.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lanescope::core::emulator {

namespace {

// How many writes of a flag are kept, and how many flags. Atomic sums can have as many addresses as an array; they are
// no flags.
constexpr size_t kMostWrites = 64, kMostFlags = 1024;

/// True for a fence of all blocks of the device.
bool isFence(std::string_view opcode) {
  return opcode == "membar.gl" || opcode == "membar.sys" ||
         (opcode.starts_with("fence.") && !opcode.starts_with("fence.proxy") &&
          (opcode.ends_with(".gpu") || opcode.ends_with(".sys")));
}

} // namespace

LateSignals::LateSignals(const Program &program) : accesses_(globalAccessesOf(program)) {
  for (uint32_t pc = 0; pc < accesses_.size(); ++pc)
    hasLoads_ |= accesses_[pc] == GlobalAccess::Load && program.code[pc].strong;
}

bool LateSignals::runsOn(const Grid &grid, const Schedule &schedule) {
  return schedule.adversary == Adversary::LateSignals && grid.program->communicates && grid.checks && grid.devices == 1;
}

LateSignals::Memory LateSignals::memory() const {
  Memory out;
  out.state_ = state_;
  return out;
}

void LateSignals::restore(const Memory &memory) { state_ = memory.state_; }

size_t LateSignals::Memory::size() const {
  constexpr size_t kNode = 4 * sizeof(uint64_t); // bytes; about the size of a hash table's node
  size_t bytes = state_.fenced.size() * kNode;
  for (const auto &[address, flag] : state_.flags)
    for (const Write &write : flag.writes)
      bytes += sizeof write + (write.released ? write.released->memoryBytes() : 0) +
               (write.known ? write.known->size() * kNode : 0);
  for (const auto &[block, view] : state_.views)
    bytes += sizeof view + (view.known.size() + view.fenced.size() + view.observed.size() + view.given.size()) * kNode;
  return bytes;
}

void LateSignals::begin() { state_ = {}; }

bool LateSignals::concerns(const Program &program, uint32_t pc) const {
  if (!hasLoads_)
    return false;
  const Instr &instr = program.code[pc];
  std::string_view opcode = program.function->instructions[instr.source].opcode;
  if (accesses_[pc] == GlobalAccess::None)
    return isFence(opcode);
  return isStrong(opcode, instr);
}

Step LateSignals::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  switch (accesses_[warp.block->grid->pcOf(i)]) {
  case GlobalAccess::None: return fence(warp, i, mask, own);
  case GlobalAccess::Load: return load(warp, i, mask, own);
  case GlobalAccess::Write: break;
  }
  return write(warp, i, mask, own);
}

LateSignals::View &LateSignals::viewOf(const Warp &warp) {
  return state_.views[warp.block->cluster->blocks[0]->linear];
}

void LateSignals::learn(Known &known, const Known &other) {
  for (auto [address, number] : other)
    known[address] = std::max(known[address], number);
}

Step LateSignals::fence(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  View &view = viewOf(warp);
  learn(view.known, view.observed);
  if (isScFence(warp.block->grid->opcodeOf(i))) {
    learn(state_.fenced, view.known);
    learn(view.known, state_.fenced);
  }
  view.fenced = view.known;
  return own(warp, i, mask);
}

LateSignals::Flag *LateSignals::flagAt(uint64_t address, uint32_t bytes, const std::byte *at) {
  auto flag = state_.flags.find(address);
  if (flag == state_.flags.end() || flag->second.bytes != bytes)
    return nullptr;
  return std::memcmp(flag->second.writes.back().value.data(), at, bytes) == 0 ? &flag->second : nullptr;
}

LateSignals::Flag *LateSignals::flagFor(const Warp &warp, uint64_t address, uint32_t bytes, const std::byte *at) {
  if (Flag *known = flagAt(address, bytes, at))
    return known;
  // A weak write or an access of another size has come between. No load gives a value from before it.
  auto old = state_.flags.find(address);
  if (old == state_.flags.end() && state_.flags.size() == kMostFlags)
    return nullptr;
  Flag flag{.bytes = bytes, .first = old == state_.flags.end() ? 0 : old->second.newest() + 1};
  Write &before = flag.writes.emplace_back();
  std::memcpy(before.value.data(), at, bytes);
  before.released = warp.block->checks->global.flagOf(address);
  return &(state_.flags[address] = std::move(flag));
}

Step LateSignals::write(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const bool reads = !warp.block->grid->opcodeOf(i).starts_with("st");
  View &view = viewOf(warp);
  struct Place {
    uint64_t address = 0;
    std::byte *at = nullptr;
    std::shared_ptr<const Known> before; // the writes that the overwritten value makes known
  };
  std::vector<Place> places;
  if (i.access <= kMostBytes)
    forDistinctPlaces(warp, i, mask, [&](uint32_t, std::byte *at, uint64_t address) {
      Flag *flag = flagFor(warp, address, i.access, at);
      if (!flag)
        return;
      places.push_back({address, at, flag->writes.back().known});
      if (reads && places.back().before)
        learn(i.acquires ? view.known : view.observed, *places.back().before);
    });
  Step step = own(warp, i, mask);
  if (step == Step::Fault)
    return step;
  for (const Place &place : places)
    view.known[place.address] = state_.flags[place.address].newest() + 1;
  for (const Place &place : places) {
    Flag &flag = state_.flags[place.address];
    auto known = std::make_shared<Known>(i.releases ? view.known : view.fenced);
    (*known)[place.address] = flag.newest() + 1;
    if (reads && place.before) // an atomic operation goes on with the release that it reads from
      learn(*known, *place.before);
    Write &fresh = flag.writes.emplace_back();
    std::memcpy(fresh.value.data(), place.at, flag.bytes);
    fresh.released = warp.block->checks->global.flagOf(place.address);
    fresh.known = std::move(known);
    if (flag.writes.size() > kMostWrites) {
      flag.writes.erase(flag.writes.begin());
      ++flag.first;
    }
  }
  return step;
}

Step LateSignals::load(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  std::vector<Older> olders;
  View &view = viewOf(warp);
  if (i.access <= kMostBytes)
    forDistinctPlaces(warp, i, mask, [&](uint32_t, std::byte *at, uint64_t address) {
      Flag *flag = flagAt(address, i.access, at);
      if (!flag)
        return;
      uint64_t number = flag->first;
      if (auto least = view.known.find(address); least != view.known.end())
        number = std::clamp(least->second, flag->first, flag->newest());
      if (auto last = view.given.find(address); last != view.given.end() && last->second == number)
        number = std::min(number + 1, flag->newest()); // a poll goes on
      view.known[address] = view.given[address] = number;
      const Write &write = flag->writes[number - flag->first];
      if (write.known)
        learn(i.acquires ? view.known : view.observed, *write.known);
      if (number != flag->newest())
        olders.push_back({at, address, i.access, write.value, write.released});
    });
  GlobalRaces &global = warp.block->checks->global;
  auto swapAll = [&] {
    for (Older &older : olders) {
      std::swap_ranges(older.at, older.at + older.bytes, older.value.begin());
      older.released = global.exchangeFlag(older.address, std::move(older.released));
    }
  };
  if (!olders.empty())
    ++warp.block->effects; // the next poll reads another value
  swapAll();
  Step step = own(warp, i, mask);
  swapAll();
  return step;
}

} // namespace lanescope::core::emulator
