// Finds which warps wait for which, by running ahead for a while and going back.
#include "core/gpu/emulator/debug/DebuggerState.h"
#include "core/gpu/emulator/machine/Names.h"

#include <algorithm>
#include <set>

namespace lanescope::core {

using namespace emulator;

std::vector<WaitEdge> Debugger::waits() {
  State &s = *state_;
  using Barrier = std::pair<uint32_t, uint32_t>; // block, address
  std::vector<WaitEdge> out;
  std::vector<std::optional<Barrier>> awaitedBarriers; // one per edge of `out`
  std::map<Barrier, std::set<WarpRef>> comers;
  std::vector<Flight> all = flights();
  for (const Block *block : s.blocks())
    for (const Warp &warp : block->warps)
      for (const Split &split : warp.splits) {
        if (split.state == SplitState::Free || split.state == SplitState::Merging || split.state == SplitState::Ready)
          continue;
        WaitEdge &edge = out.emplace_back();
        edge.from = {block->linear, warp.id};
        edge.what = s.splitPlace(warp, split).waitsFor;
        awaitedBarriers.emplace_back();
        if (split.state == SplitState::AtMbarrier) {
          Barrier barrier{block->linear, split.waitFor};
          awaitedBarriers.back() = barrier;
          comers[barrier];
          std::string name = describeMbarrier(*block, split.waitFor);
          for (uint32_t n = 0; n < all.size(); ++n)
            if (all[n].signals == name && !all[n].landed && all[n].sharedBlock == block->linear)
              edge.flights.push_back(n);
        } else if (split.state == SplitState::AtBarrier && block->barriers[split.waitFor].expected == 0) {
          for (const Warp &other : block->warps)
            if (other.live && std::ranges::none_of(other.splits, [&](const Split &its) {
                  return its.state == SplitState::AtBarrier && its.waitFor == split.waitFor;
                }))
              edge.on.push_back({block->linear, other.id});
        } else if (split.state == SplitState::AtGroup) {
          for (uint32_t n = 0; n < all.size(); ++n)
            if (all[n].warp == edge.from && all[n].signals.empty())
              edge.flights.push_back(n);
        }
      }
  if (comers.empty() || s.machine->standing() == State::Standing::Faulted)
    return out;
  // The warps that will arrive at an mbarrier are known only when they arrive: run some way ahead, then go back.
  constexpr uint64_t kAhead = 20'000;
  Stop kept = s.stop;
  s.machine->begin();
  auto missing = [&](Barrier barrier) -> std::pair<uint64_t, uint32_t> {
    if (const Block *block = s.blockOf(barrier.first))
      for (const Mbarrier &one : block->mbarriers.all())
        if (one.address == barrier.second)
          return {one.phase, one.pending};
    return {UINT64_MAX, 0};
  };
  std::map<Barrier, std::pair<uint64_t, uint32_t>> before;
  std::map<Barrier, uint64_t> phases;
  for (const auto &[barrier, who] : comers) {
    before[barrier] = missing(barrier);
    phases[barrier] = before[barrier].first;
  }
  std::optional<WarpRef> last;
  if (const auto *step = s.machine->at(); step && step->warp)
    last = WarpRef{step->block.linear, step->warp->id};
  s.go({.pcs = {}, .landings = true, .every = true}, [&](const State::Step &step) {
    for (auto it = phases.begin(); it != phases.end();) {
      auto now = missing(it->first);
      if (now != before[it->first] && last)
        comers[it->first].insert(*last);
      before[it->first] = now;
      it = now.first == it->second ? std::next(it) : phases.erase(it);
    }
    last = step.warp ? std::optional(WarpRef{step.block.linear, step.warp->id}) : std::nullopt;
    return phases.empty() || s.machine->moment() > kept.moment + kAhead;
  });
  s.seek(kept.moment);
  s.stop = std::move(kept);
  for (size_t n = 0; n < out.size(); ++n)
    if (awaitedBarriers[n])
      out[n].on.assign(comers[*awaitedBarriers[n]].begin(), comers[*awaitedBarriers[n]].end());
  return out;
}

} // namespace lanescope::core
