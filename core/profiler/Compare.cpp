#include "core/profiler/Compare.h"

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

using Changes = std::map<std::pair<bool, std::string>, RegionChange>; // by name, and whether it is in flight

void add(Changes &changes, const Side &side, size_t RegionChange::*count, double RegionChange::*self,
         double RegionChange::*median) {
  auto put = [&](uint32_t name, bool inFlight, size_t many, double ns, double medianNs) {
    RegionChange &change = changes[{inFlight, regionName(side.trace, name)}];
    change.*count += many;
    change.*self += ns / side.tracks;
    change.*median = medianNs;
  };
  for (const RegionTimes &region : side.of.regions)
    put(region.name, false, region.count, region.selfNs, region.medianNs);
  for (const FlightTimes &flight : side.of.flights)
    put(flight.name, true, flight.count, flight.totalNs, flight.medianNs);
}

} // namespace

TraceComparison compareTraces(const Trace &before, const Trace &after) {
  Side a(before), b(after);
  Changes changes;
  add(changes, a, &RegionChange::countBefore, &RegionChange::selfBefore, &RegionChange::medianBefore);
  add(changes, b, &RegionChange::countAfter, &RegionChange::selfAfter, &RegionChange::medianAfter);
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
  return out;
}

} // namespace lanescope::core
