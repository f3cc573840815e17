#include "core/gpu/emulator/check/WarpLanes.h"

#include "core/HostVectors.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostKnown = 64; // with more entries, lanes count as ordered

/// Adds an entry, and drops the entries that it implies.
void add(std::vector<WarpLanes::Known> &list, WarpLanes::Known fresh) {
  auto says = [](const WarpLanes::Known &one, const WarpLanes::Known &other) {
    return (other.knowers & ~one.knowers) == 0 && (other.lanes & ~one.lanes) == 0 && other.epoch <= one.epoch;
  };
  if (std::ranges::any_of(list, [&](const WarpLanes::Known &old) { return says(old, fresh); }))
    return;
  std::erase_if(list, [&](const WarpLanes::Known &old) { return says(fresh, old); });
  list.push_back(fresh);
}

LANESCOPE_WIDE uint32_t lanesIn(const uint32_t *starts, uint32_t address, uint32_t bytes) {
  uint32_t out = 0;
  for (uint32_t l = 0; l < 32; ++l)
    out |= static_cast<uint32_t>(address - starts[l] < bytes) << l;
  return out;
}

} // namespace

void WarpLanes::learnMore(uint32_t knowers, uint32_t lanes, Epoch epoch, uint32_t live) {
  bool whole = (live & ~knowers) == 0 && ((live | touched) & ~(lanes | ~live)) == 0;
  if (!whole) {
    add(known, {knowers, lanes, epoch});
    if (known.size() <= kMostKnown)
      return;
  }
  all = whole ? epoch : last;
  if (last <= all)
    touched = 0;
  auto isOld = [&](const Known &one) { return one.epoch <= all; };
  std::erase_if(known, isOld);
  std::erase_if(met, isOld);
}

void WarpLanes::synchronise(uint32_t lanes, Epoch epoch, uint32_t live) {
  std::vector<Known> theirs;
  for (const Known &one : known)
    if (one.knowers & lanes)
      theirs.push_back({lanes, one.lanes, one.epoch});
  for (const Known &one : theirs)
    learn(one.knowers, one.lanes, one.epoch, live);
  learn(lanes, lanes, epoch, live);
}

void WarpLanes::meet(uint32_t lanes, Epoch epoch) {
  if (epoch <= all)
    return;
  add(met, {lanes, lanes, epoch});
  if (met.size() > kMostKnown)
    met.erase(met.begin());
}

bool WarpLanes::isOrdered(uint32_t by, uint32_t of, Epoch epoch) const {
  if (epoch <= all)
    return true;
  for (uint32_t left = by; left; left &= left - 1) {
    uint32_t lane = left & -left, others = of & ~lane;
    for (const Known &one : known)
      if ((one.knowers & lane) && one.epoch >= epoch)
        others &= ~one.lanes;
    if (others)
      return false;
  }
  return true;
}

bool WarpLanes::inStep(uint32_t by, uint32_t of, uint32_t together, Epoch epoch) const {
  auto covers = [&](uint32_t lanes) { return ((by | of) & ~lanes) == 0; };
  return covers(together) ||
         std::ranges::any_of(met, [&](const Known &one) { return one.epoch >= epoch && covers(one.lanes); });
}

void LaneMaps::begin() {
  maps_.assign(1, Map{});
  lists_.clear();
  sweepAt_ = kSweepAt;
}

uint32_t LaneMaps::addList(const uint64_t *addresses) {
  List &list = lists_.emplace_back();
  for (uint32_t l = 0; l < 32; ++l)
    list[l] = static_cast<uint32_t>(addresses[l]);
  return static_cast<uint32_t>(lists_.size() - 1);
}

uint32_t LaneMaps::lanesAt(uint32_t n, uint32_t address) const {
  const Map &map = maps_[n];
  if (map.collective)
    return kAllLanes;
  if (map.list != kNoList)
    return map.mask & lanesIn(lists_[map.list].data(), address, map.bytes);
  if (std::has_single_bit(map.mask))
    return map.mask;
  uint32_t out = 0, start = map.first;
  for (uint32_t l = 0; l < 32; ++l, start += static_cast<uint32_t>(map.stride))
    out |= static_cast<uint32_t>(address - start < map.bytes) << l;
  return out;
}

bool LaneMaps::areAlike(uint32_t one, uint32_t other) const {
  const Map &a = maps_[one], &b = maps_[other];
  if (a.collective || b.collective || a.mask != b.mask)
    return false;
  if (one == other || std::has_single_bit(a.mask))
    return true;
  if (a.list != kNoList && b.list != kNoList)
    return lists_[a.list] == lists_[b.list];
  // Each lane's bytes begin in the same interval between those of its neighbours.
  return a.list == b.list && a.stride == b.stride && a.stride != 0 &&
         std::abs(static_cast<int32_t>(a.first - b.first)) < std::abs(a.stride);
}

// --- entries about single lanes in views --------------------------------------------------------------------------

uint32_t lanesBefore(const std::vector<KnownLanes> &apart, Agent agent, Epoch epoch) {
  bool some = false;
  uint32_t lanes = 0;
  for (const KnownLanes &one : apart)
    if (one.agent == agent) {
      some = true;
      lanes |= one.epoch >= epoch ? one.lanes : 0;
    }
  return some ? lanes : kAllLanes;
}

/// The entries about the warp that begin at `first`; none if those there are about another warp.
static std::span<const KnownLanes> runFrom(const std::vector<KnownLanes> &list, size_t first, Agent agent) {
  size_t end = first;
  while (end < list.size() && list[end].agent == agent)
    ++end;
  return std::span(list).subspan(first, end - first);
}

std::span<const KnownLanes> Before::apartOf(Agent agent) const {
  auto first = std::ranges::lower_bound(apart, agent, {}, &KnownLanes::agent);
  return runFrom(apart, static_cast<size_t>(first - apart.begin()), agent);
}

LaneList Before::lanesOf(Agent agent) const {
  LaneList out;
  for (const KnownLanes &one : apartOf(agent))
    out.push_back(one);
  if (out.empty())
    out.push_back({agent, kAllLanes, seen[agent], 0});
  return out;
}

/// The entries about a warp to keep of `lanes`; none if all lanes have released the same, or count as if they had.
static void keep(Agent agent, std::span<const KnownLanes> lanes, Epoch most, LaneList &kept) {
  constexpr size_t kMostOfOne = 8; // with more entries, all of the warp's lanes count as alike
  Epoch all = 0;
  for (const KnownLanes &one : lanes)
    if (one.lanes == kAllLanes)
      all = std::max(all, one.epoch);
  if (all >= most)
    return;
  kept.push_back({agent, kAllLanes, all, 0});
  for (const KnownLanes &one : lanes) {
    if (std::ranges::any_of(kept, [&](const KnownLanes &by) { return by.covers(one); }))
      continue;
    kept.shrink(std::remove_if(kept.begin(), kept.end(),
                               [&](const KnownLanes &old) { return old.lanes != kAllLanes && one.covers(old); }));
    kept.push_back(one);
  }
  if (kept.size() > kMostOfOne)
    kept.shrink(kept.begin());
}

void Before::setLanes(Agent agent, const LaneList &lanes, Epoch most) {
  LaneList fresh;
  keep(agent, {lanes.begin(), lanes.size()}, most, fresh);
  const std::span<const KnownLanes> old = apartOf(agent);
  auto at = apart.begin() + (old.data() - apart.data());
  const size_t both = std::min(old.size(), fresh.size());
  at = std::copy_n(fresh.begin(), both, at);
  if (old.size() > both)
    apart.erase(at, at + static_cast<std::ptrdiff_t>(old.size() - both));
  else if (fresh.size() > both)
    apart.insert(at, fresh.begin() + both, fresh.end());
}

bool Before::coversLanes(Agent agent, std::span<const KnownLanes> mine, const Before &other,
                         std::span<const KnownLanes> theirs) const {
  const Epoch most = seen[agent], theirMost = other.seen[agent];
  if (theirMost > most)
    return false;
  // The first entry says what all lanes have released. Often the other list adds nothing to that.
  if (mine.empty() || mine[0].epoch >= theirMost)
    return true;
  KnownLanes theirWhole{agent, kAllLanes, theirMost, 0};
  if (theirs.empty())
    theirs = {&theirWhole, 1};
  for (size_t n = 0; n < theirs.size(); ++n) {
    const KnownLanes &one = theirs[n];
    // Usually true, because both lists have been passed on in the same way.
    bool same = n < mine.size() && mine[n].covers(one);
    if (!same && std::ranges::none_of(mine, [&](const KnownLanes &by) { return by.covers(one); }))
      return false;
  }
  return true;
}

void Before::joinLanes(const Before &other) {
  static thread_local std::vector<KnownLanes> fresh; // the new list, from the first warp on about which it differs
  bool differs = false;
  for (size_t n = 0, m = 0; n < apart.size() || m < other.apart.size();) {
    const Agent agent = n == apart.size()         ? other.apart[m].agent
                        : m == other.apart.size() ? apart[n].agent
                                                  : std::min(apart[n].agent, other.apart[m].agent);
    const std::span<const KnownLanes> mine = runFrom(apart, n, agent), theirs = runFrom(other.apart, m, agent);
    const bool covers = coversLanes(agent, mine, other, theirs);
    if (!covers && !std::exchange(differs, true))
      fresh.assign(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(n));
    if (covers && differs) {
      fresh.insert(fresh.end(), mine.begin(), mine.end());
    } else if (!covers) {
      LaneList both, kept;
      auto add = [&](std::span<const KnownLanes> entries, const Before &from) {
        for (const KnownLanes &one : entries)
          both.push_back(one);
        if (entries.empty())
          both.push_back({agent, kAllLanes, from.seen[agent], 0});
      };
      add(mine, *this);
      add(theirs, other);
      keep(agent, {both.begin(), both.size()}, std::max(seen[agent], other.seen[agent]), kept);
      fresh.insert(fresh.end(), kept.begin(), kept.end());
    }
    n += mine.size();
    m += theirs.size();
  }
  if (differs)
    apart.assign(fresh.begin(), fresh.end());
}

} // namespace lanescope::core::emulator
