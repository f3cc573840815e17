#include "core/profiler/CompareTraces.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lanescope::core {

namespace {

struct Side {
  const Trace &trace;
  TraceAnalysis of;
  double tracks;
  explicit Side(const Trace &trace)
      : trace(trace), of(analyse(trace)), tracks(std::max<double>(1, static_cast<double>(of.tracks.size()))) {}
};

// Key: true for operations in flight, and the name.
using Changes = std::map<std::pair<bool, std::string>, RegionChange>;

/// The times at which the first slice and the first flight of each name begin, in ns from the trace's first mark.
std::pair<std::map<uint32_t, double>, std::map<uint32_t, double>> firstOnes(const Trace &trace) {
  const double start = traceStartNs(trace);
  std::pair<std::map<uint32_t, double>, std::map<uint32_t, double>> out;
  auto put = [&](std::map<uint32_t, double> &firsts, uint32_t name, double beginNs) {
    auto [at, fresh] = firsts.emplace(name, beginNs - start);
    at->second = std::min(at->second, beginNs - start);
  };
  for (const TraceTrack &track : trace.tracks)
    for (const TraceSlice &slice : track.slices)
      put(out.first, slice.name, slice.beginNs);
  for (const TraceFlight &flight : trace.flights)
    put(out.second, flight.name, flight.beginNs);
  return out;
}

void add(Changes &changes, const Side &side, size_t RegionChange::*count, double RegionChange::*self,
         double RegionChange::*median, double RegionChange::*first) {
  auto put = [&](uint32_t name, bool inFlight, size_t many, double ns, double medianNs, double firstNs) {
    RegionChange &change = changes[{inFlight, regionName(side.trace, name)}];
    change.*count += many;
    change.*self += ns / side.tracks;
    change.*median = medianNs;
    change.*first = firstNs;
  };
  const auto [slices, flights] = firstOnes(side.trace);
  for (const RegionTimes &region : side.of.regions)
    put(region.name, false, region.count, region.selfNs, region.medianNs, slices.at(region.name));
  for (const FlightTimes &flight : side.of.flights)
    put(flight.name, true, flight.count, flight.totalNs, flight.medianNs, flights.at(flight.name));
}

} // namespace

size_t TraceComparison::shared() const {
  return static_cast<size_t>(std::ranges::count_if(
      regions, [](const RegionChange &region) { return region.countBefore > 0 && region.countAfter > 0; }));
}

TraceComparison compareTraces(const Trace &before, const Trace &after) {
  Side a(before), b(after);
  Changes changes;
  add(changes, a, &RegionChange::countBefore, &RegionChange::selfBefore, &RegionChange::medianBefore,
      &RegionChange::firstBefore);
  add(changes, b, &RegionChange::countAfter, &RegionChange::selfAfter, &RegionChange::medianAfter,
      &RegionChange::firstAfter);
  TraceComparison out{.lengthBefore = a.of.lengthNs,
                      .lengthAfter = b.of.lengthNs,
                      .tracksBefore = a.of.tracks.size(),
                      .tracksAfter = b.of.tracks.size()};
  for (auto &[key, change] : changes) {
    change.inFlight = key.first;
    change.name = key.second;
    out.regions.push_back(std::move(change));
  }
  std::ranges::stable_sort(out.regions, [](const RegionChange &x, const RegionChange &y) {
    return x.inFlight != y.inFlight ? !x.inFlight : std::abs(x.growth()) > std::abs(y.growth());
  });
  out.betweenBefore = a.of.betweenNs / a.tracks;
  out.betweenAfter = b.of.betweenNs / b.tracks;
  out.overlapBefore = overlapOf(before).whole;
  out.overlapAfter = overlapOf(after).whole;
  out.wait = grownWait(before, after);
  return out;
}

} // namespace lanescope::core
