// Adds up a trace's time as plain data: the time of each region, the time spent waiting, the idle tracks, and the
// operations in flight. `trace --summary`, pictures and the window print this and compute nothing themselves.
//
//   TraceAnalysis whole = analyse(trace);
//   whole.regions[0]                          // {"mbarrier wait", count 12, total, self, median, p95, …, share 0.68}
//   analyse(trace, TraceStretch{100, 400})    // of that stretch alone, slices cut to it
//
// A track's own time lasts from its first mark to its last. Each moment of it belongs to the innermost region around
// it, or lies between regions. So the shares of all regions and of the time between them add up to one. The tracks of
// asynchronous units do not count, because no thread spends time there.
#pragma once

#include "core/profiler/TimeWords.h"
#include "core/Trace.h"

#include <optional>
#include <set>
#include <utility>

namespace lanescope::core {

/// A stretch in the trace's own ns.
struct TraceStretch {
  double beginNs = 0, endNs = 0;
};

/// The slices of one name. Quantiles are nearest ranks: each is the time of an actual slice.
struct RegionTimes {
  uint32_t name = 0; // index into Trace::names; may be beyond them in malformed traces, see `regionName`
  size_t count = 0;
  double totalNs = 0, selfNs = 0; // self: without nested regions
  double shortestNs = 0, medianNs = 0, p95Ns = 0, longestNs = 0;
  double share = 0;   // share of self in the tracks' own times
  bool waits = false; // the name contains "wait" or "drain"
};

/// One track's own time.
struct TrackTimes {
  size_t track = 0; // index into Trace::tracks
  double spanNs = 0, betweenNs = 0;
  uint32_t depth = 0; // nesting of its slices: 1 if none lies within another
  double idle() const { return spanNs > 0 ? betweenNs / spanNs : 0; }
};

/// The operations in flight of one name.
struct FlightTimes {
  uint32_t name = 0;
  size_t count = 0;
  double totalNs = 0, medianNs = 0, longestNs = 0;
};

struct TraceAnalysis {
  std::vector<RegionTimes> regions; // by self time, longest first
  std::vector<TrackTimes> tracks;   // in the trace's order, without tracks that have no slices
  std::vector<FlightTimes> flights; // by the name's index
  size_t processes = 0, slices = 0;
  double lengthNs = 0;  // from the first mark to the last
  double spanNs = 0;    // sum of the tracks' own times
  double betweenNs = 0; // its part between regions
  double waitNs = 0;    // its part in regions that wait
  bool nested = false;  // true if some region lies within another
  double betweenShare() const { return spanNs > 0 ? betweenNs / spanNs : 0; }
  double waitShare() const { return spanNs > 0 ? waitNs / spanNs : 0; }
};

/// Without: shortest, longest, medians and p95 stay 0. On traces of millions of slices, this takes only a fraction of
/// the time.
enum class Quantiles : uint8_t { With, Without };

/// `within`: counts only the parts of slices that lie inside of this stretch; by default, the whole trace.
TraceAnalysis analyse(const Trace &trace, std::optional<TraceStretch> within = {},
                      Quantiles quantiles = Quantiles::With);

/// The time of the first slice, from which displayed times count; 0 for an empty trace.
double traceStartNs(const Trace &trace);

/// The tracks (pid, tid) that show only operations in flight, of asynchronous units.
std::set<std::pair<int64_t, int64_t>> flightTracks(const Trace &trace);

/// The name of a region, a track or its process, with a default if the trace has none.
std::string regionName(const Trace &trace, uint32_t name);
std::string threadName(const TraceTrack &track);
std::string processName(const TraceTrack &track);

/// The time spent waiting, in words: "waiting (`mbarrier wait`) takes 68.9 % of the tracks' time"; empty if no region
/// waits.
std::string waitingText(const Trace &trace, const TraceAnalysis &analysis);

} // namespace lanescope::core
