// Where a trace's time went, as plain data: what each region costs, what waiting costs, which tracks idle, what was in
// flight. `trace --summary`, pictures and the window print this and compute nothing of their own.
//
//   TraceAnalysis whole = analyse(trace);
//   whole.regions[0]                          // {"mbarrier wait", count 12, total, self, median, p95, …, share 0.68}
//   analyse(trace, TraceStretch{100, 400})    // of that stretch alone, slices cut to it
//
// A track's own time lasts from its first mark to its last. All of it belongs to the innermost region around each
// moment or lies between regions, so that the shares of all regions and of the time between them add up to one. Tracks
// of the asynchronous units are none: no one spends time there.
#pragma once

#include "core/profiler/TimeWords.h"
#include "core/Trace.h"

#include <optional>
#include <set>
#include <utility>

namespace lanescope::core {

/// In the trace's own ns.
struct TraceStretch {
  double beginNs = 0, endNs = 0;
};

/// The slices of one name. Quantiles are nearest ranks: each is a time that a slice took.
struct RegionTimes {
  uint32_t name = 0; // index into Trace::names; beyond them in odd traces, see `regionName`
  size_t count = 0;
  double totalNs = 0, selfNs = 0; // self: without the regions inside
  double shortestNs = 0, medianNs = 0, p95Ns = 0, longestNs = 0;
  double share = 0;   // self, of the tracks' own times
  bool waits = false; // the name has "wait" or "drain" in it
};

/// One track's own time.
struct TrackTimes {
  size_t track = 0; // index into Trace::tracks
  double spanNs = 0, betweenNs = 0;
  uint32_t depth = 0; // of its slices: 1 where none lies within another
  double idle() const { return spanNs > 0 ? betweenNs / spanNs : 0; }
};

/// What was in flight under one name.
struct FlightTimes {
  uint32_t name = 0;
  size_t count = 0;
  double totalNs = 0, medianNs = 0, longestNs = 0;
};

struct TraceAnalysis {
  std::vector<RegionTimes> regions; // by self time, longest first
  std::vector<TrackTimes> tracks;   // in the trace's order; those without slices are left out
  std::vector<FlightTimes> flights; // by name's index
  size_t processes = 0, slices = 0;
  double lengthNs = 0;  // from the first mark to the last
  double spanNs = 0;    // the tracks' own times together
  double betweenNs = 0; // of it between regions
  double waitNs = 0;    // of it in regions that wait
  bool nested = false;  // some region lies within another
  double betweenShare() const { return spanNs > 0 ? betweenNs / spanNs : 0; }
  double waitShare() const { return spanNs > 0 ? waitNs / spanNs : 0; }
};

/// Without: shortest, longest, medians and p95 stay 0, which costs a fraction of the time on traces of millions of
/// slices.
enum class Quantiles : uint8_t { With, Without };

/// `within`: counts the slices that it holds a part of, and of each that part; otherwise the whole trace.
TraceAnalysis analyse(const Trace &trace, std::optional<TraceStretch> within = {},
                      Quantiles quantiles = Quantiles::With);

/// Time of the first slice, from which times are told; 0 for an empty trace.
double traceStartNs(const Trace &trace);

/// Tracks (pid, tid) that show only what the asynchronous units have in flight.
std::set<std::pair<int64_t, int64_t>> flightTracks(const Trace &trace);

/// What to call a region, a track and its process where the trace has no name for them.
std::string regionName(const Trace &trace, uint32_t name);
std::string threadName(const TraceTrack &track);
std::string processName(const TraceTrack &track);

/// "waiting (`mbarrier wait`) takes 68.9 % of the tracks' time"; empty where no region waits.
std::string waitingText(const Trace &trace, const TraceAnalysis &analysis);

} // namespace lanescope::core
