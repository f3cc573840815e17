#include "viz/scene/TraceLanes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lanescope::viz {
namespace {

using TrackIds = std::map<std::pair<int64_t, int64_t>, int32_t>; // (pid, tid) -> track

/// Places the flights of one track below its slices. Each name has a group of lanes.
void layFlights(core::TraceTrack &track, const core::Trace &trace, const std::vector<int32_t> &flights,
                std::vector<int32_t> &kinds) {
  uint32_t depth = 0;
  for (const core::TraceSlice &slice : track.slices)
    depth = std::max(depth, slice.depth + 1u);
  std::vector<uint32_t> names; // in the order in which they appear
  for (int32_t f : flights)
    if (std::ranges::find(names, trace.flights[size_t(f)].name) == names.end())
      names.push_back(trace.flights[size_t(f)].name);
  for (uint32_t name : names) {
    std::vector<double> ends; // for each lane: the end of its last flight
    for (int32_t f : flights) {
      const core::TraceFlight &flight = trace.flights[size_t(f)];
      if (flight.name != name)
        continue;
      size_t lane = 0;
      while (lane < ends.size() && ends[lane] > flight.beginNs)
        ++lane;
      if (lane == ends.size())
        ends.push_back(0);
      ends[lane] = flight.endNs;
      track.slices.push_back({name, depth + static_cast<uint32_t>(lane), flight.beginNs, flight.endNs});
      kinds.push_back(f);
    }
    depth += static_cast<uint32_t>(ends.size());
  }
  // Views search slices by their begin, so they are sorted.
  std::vector<size_t> order(track.slices.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t i) { return track.slices[i].beginNs; });
  std::vector<core::TraceSlice> slices;
  std::vector<int32_t> sorted;
  for (size_t i : order) {
    slices.push_back(track.slices[i]);
    sorted.push_back(kinds[i]);
  }
  track.slices = std::move(slices);
  kinds = std::move(sorted);
}

/// The innermost ordinary slice at a moment.
int32_t sliceAt(const core::TraceTrack &track, const std::vector<int32_t> &kinds, double ns) {
  auto after = std::ranges::upper_bound(track.slices, ns, {}, &core::TraceSlice::beginNs);
  for (auto at = after; at != track.slices.begin();) {
    --at;
    auto i = at - track.slices.begin();
    if (!kinds.empty() && kinds[size_t(i)] >= 0)
      continue;
    if (at->endNs >= ns)
      return static_cast<int32_t>(i);
    if (at->depth == 0)
      break; // all earlier slices have ended before
  }
  return -1;
}

} // namespace

std::string TraceLanes::detail(int32_t track, int32_t slice) const {
  if (track < 0 || slice < 0 || size_t(track) >= flights.size() || size_t(slice) >= flights[size_t(track)].size())
    return {};
  int32_t flight = flights[size_t(track)][size_t(slice)];
  return flight < 0 ? std::string() : trace->flights[size_t(flight)].detail;
}

TraceLanes layTrace(std::shared_ptr<const core::Trace> given) {
  TraceLanes out{given, {}, {}, 0};
  TrackIds ids;
  for (size_t t = 0; t < given->tracks.size(); ++t)
    ids.emplace(std::pair(given->tracks[t].pid, given->tracks[t].tid), static_cast<int32_t>(t));
  out.flights.resize(given->tracks.size());
  if (!given->flights.empty()) {
    auto laid = std::make_shared<core::Trace>(*given);
    std::map<int32_t, std::vector<int32_t>> byTrack;
    for (size_t f = 0; f < laid->flights.size(); ++f) {
      const core::TraceFlight &flight = laid->flights[f];
      auto [entry, isNew] = ids.emplace(std::pair(flight.pid, flight.tid), static_cast<int32_t>(laid->tracks.size()));
      if (isNew)
        laid->tracks.push_back({flight.pid, flight.tid, "", "", {}});
      byTrack[entry->second].push_back(static_cast<int32_t>(f));
    }
    out.flights.resize(laid->tracks.size());
    for (const auto &[track, flights] : byTrack) {
      std::vector<int32_t> &kinds = out.flights[size_t(track)];
      kinds.assign(laid->tracks[size_t(track)].slices.size(), -1);
      layFlights(laid->tracks[size_t(track)], *given, flights, kinds);
    }
    out.trace = std::move(laid);
  }
  std::map<std::pair<int32_t, double>, int32_t> landed; // (track, end) -> the flight that completed at that time
  for (size_t t = 0; t < out.flights.size(); ++t)
    for (size_t i = 0; i < out.flights[t].size(); ++i)
      if (out.flights[t][i] >= 0)
        landed.try_emplace({static_cast<int32_t>(t), out.trace->tracks[t].slices[i].endNs}, static_cast<int32_t>(i));
  // An arrow from the units' track begins at the flight that completed at that time. This is more informative than the
  // arrival.
  auto endOf = [&](const core::TracePoint &point, bool from) {
    auto track = ids.find({point.pid, point.tid});
    TraceEnd end{track == ids.end() ? -1 : track->second, -1, point.ns};
    if (auto flight = landed.find({end.track, point.ns}); from && flight != landed.end())
      end.slice = flight->second;
    if (end.track >= 0 && end.slice < 0)
      end.slice = sliceAt(out.trace->tracks[size_t(end.track)], out.flights[size_t(end.track)], point.ns);
    return end;
  };
  for (const core::TraceFlow &flow : given->flows) {
    TraceArrow arrow{flow.name, endOf(flow.from, true), endOf(flow.to, false)};
    if (arrow.from.track < 0 || arrow.to.track < 0)
      continue;
    out.longestArrowNs = std::max(out.longestArrowNs, flow.to.ns - flow.from.ns);
    out.arrows.push_back(arrow);
  }
  std::ranges::stable_sort(out.arrows, {}, [](const TraceArrow &arrow) { return arrow.from.ns; });
  return out;
}

} // namespace lanescope::viz
