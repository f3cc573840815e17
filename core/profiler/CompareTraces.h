// Compares two traces of one kernel: the regions that grew or shrank, and those that are in only one trace.
//
//   TraceComparison of = compareTraces(before, after);
//   of.regions[0]       // {"tile wait", 24 → 24 slices, self 3.1 → 8.4 µs, median 120 → 340 ns}
//
// Regions match by their names. If the traces have different numbers of tracks, self times are compared per track.
#pragma once

#include "core/profiler/GrownWait.h"
#include "core/profiler/Overlap.h"
#include "core/profiler/TraceAnalysis.h"

namespace lanescope::core {

struct RegionChange {
  std::string name;
  bool inFlight = false; // an operation in flight, such as a copy, whose time is not a track's own
  size_t countBefore = 0, countAfter = 0;
  double selfBefore = 0, selfAfter = 0;     // ns per track; for operations in flight, the sum per track
  double medianBefore = 0, medianAfter = 0; // median length of one slice or operation, in ns
  double firstBefore = 0, firstAfter = 0;   // ns from the trace's first mark to the beginning of the first one
  double growth() const { return selfAfter - selfBefore; }
};

struct TraceComparison {
  double lengthBefore = 0, lengthAfter = 0; // from the first mark to the last, in ns
  size_t tracksBefore = 0, tracksAfter = 0;
  // Regions, sorted by how much they changed, the largest change first; operations in flight come after them.
  std::vector<RegionChange> regions;
  double betweenBefore = 0, betweenAfter = 0; // ns per track outside all regions
  OverlapShares overlapBefore, overlapAfter;
  std::optional<GrownWait> wait; // the wait that grew most
  /// The number of regions that both traces have; 0 suggests that the traces are of different kernels.
  size_t shared() const;
};

TraceComparison compareTraces(const Trace &before, const Trace &after);

} // namespace lanescope::core
