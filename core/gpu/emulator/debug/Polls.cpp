#include "core/gpu/emulator/debug/Polls.h"

#include "core/gpu/emulator/debug/DebuggerState.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

Polls::Polls(const Program &program, Which which) : which_(which), accesses_(program.code.size()) {
  for (size_t pc = 0; pc < accesses_.size(); ++pc) {
    const Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    if ((instr.space != Space::Global && instr.space != Space::Generic) || instr.access == 0)
      continue;
    bool atomic = opcode.starts_with("atom"), load = opcode.starts_with("ld.") && instr.strong;
    bool store = opcode.starts_with("st.") || opcode.starts_with("multimem.st");
    bool sums = opcode.starts_with("red.") || opcode.starts_with("multimem.red");
    // An atomic that acquires and does not release is a wait, which consumes the count.
    bool waits = atomic && instr.acquires && !instr.releases;
    accesses_[pc] = {load || atomic, sums || (atomic && !waits) || (store && instr.strong)};
    any_ |= accesses_[pc].polls;
  }
}

void Polls::clear() {
  tracks_.clear();
  writes_.clear();
}

void Polls::expect(WarpRef warp, const Poll &poll) {
  Track &track = tracks_[warp];
  track.poll = poll;
  track.times = 2;
}

void Polls::see(const StepWatch::Step &step, uint64_t moment) {
  if (!step.warp)
    return;
  WarpRef warp = refOf(*step.warp);
  const Access &access = accesses_[step.pc];
  alignas(32) uint64_t addresses[kLanes];
  if (step.mask && (access.polls || access.signals))
    addressesOf(*step.warp, *step.instr, addresses);
  if (step.mask && access.signals) {
    const Grid &grid = *step.block.grid;
    uint64_t last = 0;
    forLanes(step.mask, [&](uint32_t lane) {
      if (addresses[lane] == std::exchange(last, addresses[lane]))
        return;
      uint64_t offset = 0;
      const Region *spread = spreadOf(grid, last, offset);
      for (uint32_t device = 0; device < (spread ? grid.devices : 1); ++device)
        writes_[spread ? copyAddress(grid, *spread, device, offset) : last].push_back({moment, warp});
    });
  }
  Track &track = tracks_[warp];
  if (track.end != UINT64_MAX)
    return;
  if (track.times > 1 && (step.pc < track.poll.low || step.pc > track.poll.high)) {
    if (which_ == Which::First) {
      track.end = moment;
      return;
    }
    track = {};
  }
  track.low = std::min(track.low, step.pc);
  track.high = std::max(track.high, step.pc);
  if (step.mask == 0 || !access.polls)
    return;
  uint64_t address = addresses[std::countr_zero(step.mask)];
  if (track.times && track.poll.address == address && (track.times > 1 || track.pc == step.pc)) {
    if (track.times++ == 1) {
      track.poll.low = track.low;
      track.poll.high = track.high;
    }
  } else if (track.times && which_ == Which::First) {
    track.end = moment;
  } else {
    track.poll = {address, step.instr->access, step.pc, step.pc};
    track.times = 1;
  }
  track.pc = step.pc;
  track.low = track.high = step.pc;
}

std::optional<Poll> Polls::of(WarpRef warp, uint32_t pc) const {
  auto found = tracks_.find(warp);
  if (found == tracks_.end() || found->second.times < 2 || pc < found->second.poll.low || pc > found->second.poll.high)
    return std::nullopt;
  return found->second.poll;
}

std::vector<WarpRef> Polls::writers(WarpRef warp, uint64_t address) const {
  auto track = tracks_.find(warp);
  uint64_t end = track == tracks_.end() ? UINT64_MAX : track->second.end;
  std::vector<WarpRef> out;
  if (auto found = writes_.find(address); found != writes_.end())
    for (const Write &write : found->second)
      if (write.moment < end && write.warp != warp && std::ranges::find(out, write.warp) == out.end())
        out.push_back(write.warp);
  return out;
}

} // namespace lanescope::core::emulator
