// Finds which warps wait for which other warps, by running ahead for a while and going back.
#include "core/gpu/emulator/debug/DebuggerState.h"
#include "core/gpu/emulator/debug/Polls.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace lanescope::core {

using namespace emulator;

namespace {

constexpr uint64_t kAhead = 20'000; // the number of moments by which the run goes ahead

/// "a signal at `sem[0]`, byte 0 of `sem` (u32[64]) of device 1, which is 0 now; device 0 has signalled once".
std::string signalWords(const Block &block, const Poll &poll) {
  const Grid &grid = *block.grid;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, poll.address, offset);
  if (!region || !region->data || offset + poll.bytes > region->bytes)
    return "a signal in global memory";
  std::string out = text("a signal at ", describeGlobal(*region, offset, poll.bytes));
  if (poll.bytes == 4 || poll.bytes == 8) {
    uint64_t value = 0;
    std::memcpy(&value, region->data + offset, poll.bytes);
    out += text(", which is ", value, " now");
  }
  if (!grid.links)
    return out;
  const Links::Signals *signals = grid.links->signalsAt(poll.address);
  if (!signals)
    return out + "; no device has signalled there";
  std::string devices;
  for (const auto &[device, last] : signals->byDevice)
    devices += text(devices.empty() ? "device " : ", device ", device, " has signalled ", last.first,
                    last.first == 1 ? " time" : " times");
  return text(out, "; ", devices);
}

/// The search for the waits at one moment.
class WaitSearch {
public:
  explicit WaitSearch(Debugger::State &state, std::vector<Flight> flights) : s(state), flights_(std::move(flights)) {
    for (const Block *block : s.blocks())
      for (const Warp &warp : block->warps)
        for (const Split &split : warp.splits)
          if (split.state == SplitState::Ready && warp.live && split.mask)
            ready_[refOf(warp)].push_back(split.pc);
          else if (split.state != SplitState::Free && split.state != SplitState::Merging)
            addWait(*block, warp, split);
  }
  bool seesBarriers() const { return !comers_.empty(); }
  /// Adds the warps that poll now according to `polls`, unless they have been added already.
  void addPolls(const Polls &polls) {
    for (const auto &[warp, pcs] : ready_)
      for (uint32_t pc : pcs)
        if (auto poll = polls.of(warp, pc); poll && polled_.try_emplace(warp, edges.size()).second) {
          edges.push_back({warp, signalWords(*s.blockOf(warp.block), *poll)});
          polls_.emplace(warp, *poll);
          awaited_.emplace_back();
        }
  }
  /// Runs ahead to find which warps arrive at the barriers and which ones signal, and then goes back.
  void runAhead(Polls &polls, const Stop &now);

  std::vector<WaitEdge> edges;

private:
  /// The block, and an mbarrier's address or a named barrier's number. No shared address is as small as such a number.
  using Barrier = std::pair<uint32_t, uint32_t>;
  void addWait(const Block &block, const Warp &warp, const Split &split);
  std::pair<uint64_t, uint32_t> missing(Barrier barrier) const {
    const Block *block = s.blockOf(barrier.first);
    if (block && barrier.second < kNamedBarriers) {
      const NamedBarrier &one = block->barriers[barrier.second];
      return {one.phase, one.arrived};
    }
    for (size_t n = 0; block && n < block->mbarriers.all().size(); ++n)
      if (const Mbarrier &one = block->mbarriers.all()[n]; one.address == barrier.second)
        return {one.phase, one.pending};
    return {UINT64_MAX, 0};
  }

  Debugger::State &s;
  std::vector<Flight> flights_;
  std::vector<std::optional<Barrier>> awaited_; // one per edge
  std::map<Barrier, std::set<WarpRef>> comers_;
  std::map<WarpRef, std::vector<uint32_t>> ready_; // the pcs of each warp that can run
  std::map<WarpRef, size_t> polled_;               // for each polling warp, the index of its edge
  std::map<WarpRef, Poll> polls_;
};

void WaitSearch::addWait(const Block &block, const Warp &warp, const Split &split) {
  WaitEdge &edge = edges.emplace_back();
  edge.from = refOf(warp);
  edge.what = s.splitPlace(warp, split).waitsFor;
  awaited_.emplace_back();
  uint32_t number = numberOf(block);
  if (split.state == SplitState::AtMbarrier) {
    Barrier barrier{number, split.waitFor};
    awaited_.back() = barrier;
    comers_[barrier];
    std::string name = describeMbarrier(block, split.waitFor);
    for (uint32_t n = 0; n < flights_.size(); ++n)
      if (flights_[n].signals == name && !flights_[n].landed && flights_[n].sharedBlock == number)
        edge.flights.push_back(n);
  } else if (split.state == SplitState::AtBarrier && block.barriers[split.waitFor].expected == 0) {
    for (const Warp &other : block.warps)
      if (other.live && std::ranges::none_of(other.splits, [&](const Split &its) {
            return its.state == SplitState::AtBarrier && its.waitFor == split.waitFor;
          }))
        edge.on.push_back(refOf(other));
  } else if (split.state == SplitState::AtBarrier) { // any warps may arrive to complete its count
    Barrier barrier{number, split.waitFor};
    awaited_.back() = barrier;
    comers_[barrier];
  } else if (split.state == SplitState::AtGroup) {
    for (uint32_t n = 0; n < flights_.size(); ++n)
      if (flights_[n].warp == edge.from && flights_[n].signals.empty())
        edge.flights.push_back(n);
  }
}

void WaitSearch::runAhead(Polls &polls, const Stop &now) {
  std::map<Barrier, std::pair<uint64_t, uint32_t>> before;
  std::map<Barrier, uint64_t> phases;
  for (const auto &[barrier, warps] : comers_) {
    before[barrier] = missing(barrier);
    phases[barrier] = before[barrier].first;
  }
  for (const auto &[warp, poll] : polls_)
    polls.expect(warp, poll);
  std::optional<WarpRef> last;
  if (const auto *step = s.machine->at(); step && step->warp) {
    last = refOf(*step->warp);
    polls.see(*step, now.moment);
  }
  s.go(everywhere(), [&](const Debugger::State::Step &step) {
    for (auto it = phases.begin(); it != phases.end();) {
      auto next = missing(it->first);
      if (next != before[it->first] && last)
        comers_[it->first].insert(*last);
      before[it->first] = next;
      it = next.first == it->second ? std::next(it) : phases.erase(it);
    }
    last = step.warp ? std::optional(refOf(*step.warp)) : std::nullopt;
    if (polls.any())
      polls.see(step, s.machine->moment());
    return (phases.empty() && !polls.any()) || s.machine->moment() > now.moment + kAhead;
  });
  s.seek(now.moment);
  for (size_t n = 0; n < edges.size(); ++n)
    if (awaited_[n])
      edges[n].on.assign(comers_[*awaited_[n]].begin(), comers_[*awaited_[n]].end());
  addPolls(polls);
  for (const auto &[warp, index] : polled_)
    edges[index].on = polls.writers(warp, polls_.at(warp).address);
}

} // namespace

std::vector<WaitEdge> Debugger::waits() {
  State &s = *state_;
  Stop kept = s.stop;
  // A polling warp is runnable. Its earlier steps are needed to see that it waits.
  Polls before(s.machine->program(), Polls::Which::Last), ahead(s.machine->program(), Polls::Which::First);
  if (before.any() && s.machine->standing() != State::Standing::Ended) {
    s.machine->begin();
    s.sweepBack(
        kept.moment, everywhere(),
        [&](const State::Step &step) {
          if (s.machine->moment() < kept.moment)
            before.see(step, s.machine->moment());
        },
        [&] { before.clear(); }, [] { return false; });
    s.seek(kept.moment);
    s.stop = kept;
  }
  WaitSearch search(s, flights());
  search.addPolls(before);
  // Only when warps arrive at a barrier or signal is it known which ones do. So the run goes ahead, and then back.
  if ((search.seesBarriers() || ahead.any()) && s.machine->standing() != State::Standing::Faulted &&
      s.machine->standing() != State::Standing::Ended) {
    s.machine->begin();
    search.runAhead(ahead, kept);
    s.stop = std::move(kept);
  }
  return std::move(search.edges);
}

} // namespace lanescope::core
