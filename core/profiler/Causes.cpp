#include "core/profiler/Causes.h"

#include "core/profiler/TraceAnalysis.h"
#include "core/profiler/TraceKinds.h"

#include <algorithm>

namespace lanescope::core {

std::string_view blockOfTrack(const TraceTrack &track) {
  std::string_view name = track.threadName;
  size_t end = name.find(')');
  return name.starts_with("block (") && end != std::string_view::npos ? name.substr(0, end + 1) : std::string_view();
}

TraceCauses::TraceCauses(const Trace &trace)
    : trace_(trace), waits_(trace.tracks.size()), around_(trace.tracks.size()) {
  auto count = static_cast<uint32_t>(trace.tracks.size());
  std::map<std::pair<int64_t, std::string_view>, size_t> groups;
  auto flown = flightTracks(trace);
  for (uint32_t t = 0; t < count; ++t) {
    const TraceTrack &track = trace.tracks[t];
    tracks_.try_emplace({track.pid, track.tid}, t);
    auto [entry, isNew] = groups.try_emplace({track.pid, blockOfTrack(track)}, groups_.size());
    if (isNew)
      groups_.emplace_back();
    groupOf_.push_back(entry->second);
    if (!flown.contains({track.pid, track.tid}) && !track.slices.empty())
      groups_[entry->second].push_back(t);
  }
  for (const std::string &name : trace.names)
    nameWaits_.push_back(kindOfName(name) == TraceKind::Wait);
  for (uint32_t f = 0; f < trace.flights.size(); ++f)
    ends_.try_emplace({{trace.flights[f].pid, trace.flights[f].tid}, trace.flights[f].endNs}, f);
  flowsTo_.resize(count);
  for (uint32_t f = 0; f < trace.flows.size(); ++f)
    if (auto track = trackAt(trace.flows[f].to))
      flowsTo_[*track].push_back(f);
  for (uint32_t t = 0; t < count; ++t) {
    std::ranges::stable_sort(flowsTo_[t], {}, [&](uint32_t f) { return trace.flows[f].to.ns; });
    if (!flown.contains({trace.tracks[t].pid, trace.tracks[t].tid}))
      findWaits(t);
  }
}

std::optional<uint32_t> TraceCauses::trackAt(const TracePoint &point) const {
  auto found = tracks_.find({point.pid, point.tid});
  return found == tracks_.end() ? std::nullopt : std::optional(found->second);
}

/// Finds the waits of a track in one pass over its slices. A stack holds the slices around the current one, so that an
/// arrow can go to the innermost slice at its moment.
void TraceCauses::findWaits(uint32_t track) {
  const std::vector<TraceSlice> &slices = trace_.tracks[track].slices;
  const std::vector<uint32_t> &flows = flowsTo_[track];
  struct Open {
    uint32_t slice;
    uint32_t flow = CausedWait::kNoFlow;
    bool holdsWait = false;
  };
  std::vector<Open> open;
  std::vector<CausedWait> &out = waits_[track];
  around_[track].reserve(slices.size());
  size_t next = 0;
  auto close = [&] {
    Open top = open.back();
    const TraceSlice &slice = slices[top.slice];
    // An arrow at the very end of a slice still belongs to the slice.
    while (next < flows.size() && trace_.flows[flows[next]].to.ns <= slice.endNs) {
      if (trace_.flows[flows[next]].to.ns >= slice.beginNs)
        top.flow = flows[next];
      ++next;
    }
    open.pop_back();
    bool named = slice.name < nameWaits_.size() && nameWaits_[slice.name];
    // The emulator records a wait, with its line, only if the thread slept. A kernel's own region whose name says
    // "wait" need not have waited.
    bool told = top.flow != CausedWait::kNoFlow || (!top.holdsWait && (!trace_.emulated || slice.place != 0));
    bool waits = named && told && slice.endNs > slice.beginNs;
    if (waits)
      out.push_back({slice.beginNs, slice.endNs, top.slice, top.flow});
    if (!open.empty())
      open.back().holdsWait |= waits || top.holdsWait;
  };
  for (uint32_t s = 0; s < slices.size(); ++s) {
    while (!open.empty() && slices[open.back().slice].endNs <= slices[s].beginNs)
      close();
    // Arrows to moments before this slice belong to the slices around it.
    for (; next < flows.size() && trace_.flows[flows[next]].to.ns < slices[s].beginNs; ++next)
      if (!open.empty())
        open.back().flow = flows[next];
    around_[track].push_back(open.empty() ? kNoSlice : open.back().slice);
    open.push_back({.slice = s});
  }
  while (!open.empty())
    close();
  std::ranges::stable_sort(out, {}, &CausedWait::endNs);
}

uint32_t TraceCauses::innermostAt(uint32_t track, double ns) const {
  const std::vector<TraceSlice> &slices = trace_.tracks[track].slices;
  auto after = std::ranges::upper_bound(slices, ns, {}, &TraceSlice::beginNs) - slices.begin();
  if (after == 0 || around_[track].empty())
    return kNoSlice;
  auto at = static_cast<uint32_t>(after - 1);
  while (at != kNoSlice && slices[at].endNs <= ns)
    at = around_[track][at];
  return at;
}

const CausedWait *TraceCauses::lastWait(uint32_t track, double ns) const {
  const std::vector<CausedWait> &waits = waits_[track];
  auto after = std::ranges::upper_bound(waits, ns, {}, &CausedWait::endNs);
  return after == waits.begin() ? nullptr : &*std::prev(after);
}

uint32_t TraceCauses::flightEnding(const TracePoint &point) const {
  auto found = ends_.find({{point.pid, point.tid}, point.ns});
  return found == ends_.end() ? TraceFlow::kNone : found->second;
}

WaitCause TraceCauses::of(uint32_t track, const CausedWait &wait) const {
  if (wait.flow == CausedWait::kNoFlow)
    return infer(track, wait);
  const TraceFlow &flow = trace_.flows[wait.flow];
  WaitCause cause{.kind = WaitCause::Kind::Arrival, .ns = flow.from.ns, .inferred = flow.inferred};
  cause.flight = flow.flight < trace_.flights.size() ? flow.flight : flightEnding(flow.from);
  if (cause.flight != TraceFlow::kNone) {
    const TraceFlight &flight = trace_.flights[cause.flight];
    cause.kind = WaitCause::Kind::Flight;
    cause.name = flight.name;
    cause.issuedNs = std::min(flight.issued ? flight.issued->ns : flight.beginNs, cause.ns);
    if (flight.issued)
      cause.track = trackAt(*flight.issued);
  } else if (flow.inferred) { // use the issue time, because the operation was in flight until the wait was over
    cause.kind = WaitCause::Kind::Flight;
    cause.name = flow.name;
    cause.issuedNs = flow.from.ns;
    cause.ns = wait.endNs;
    cause.track = trackAt(flow.from);
  } else {
    cause.track = trackAt(flow.from);
    // An arrival by a unit without a track of its own shows no cause.
    if (!cause.track || around_[*cause.track].empty())
      cause.kind = WaitCause::Kind::Unknown;
  }
  return cause;
}

/// Finds the slice that another track of the block had just finished when the wait was over. A slice that is a wait is
/// never a cause.
WaitCause TraceCauses::infer(uint32_t track, const CausedWait &wait) const {
  constexpr int kLooks = 64;           // the most slices to look at on each track, back from the wait's end
  constexpr size_t kMostTogether = 64; // with more tracks, some slice always ends near that moment by chance
  WaitCause cause;
  if (together(track).size() > kMostTogether)
    return cause;
  for (uint32_t other : together(track)) {
    if (other == track)
      continue;
    const std::vector<TraceSlice> &slices = trace_.tracks[other].slices;
    auto at = std::ranges::upper_bound(slices, wait.endNs, {}, &TraceSlice::beginNs);
    for (int looked = 0; at != slices.begin() && looked < kLooks; ++looked) {
      --at;
      bool waits = at->name < nameWaits_.size() && nameWaits_[at->name];
      if (waits || at->endNs > wait.endNs || at->endNs <= wait.beginNs)
        continue;
      if (cause.kind == WaitCause::Kind::Unknown || at->endNs > cause.ns) {
        cause.kind = WaitCause::Kind::Arrival;
        cause.ns = at->endNs;
        cause.track = other;
        cause.inferred = true;
      }
    }
  }
  return cause;
}

} // namespace lanescope::core
