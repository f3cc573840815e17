// Two traces of one kernel: which regions grew, which shrank, which are in one alone.
//
//   TraceComparison of = compareTraces(before, after);
//   of.regions[0]       // {"tile wait", 24 → 24 slices, self 3.1 → 8.4 µs, median 120 → 340 ns}
//
// Regions go by their names. Where the traces have different numbers of tracks, self times are compared per track.
#pragma once

#include "core/profiler/GrownWait.h"
#include "core/profiler/Overlap.h"
#include "core/profiler/TraceAnalysis.h"

namespace lanescope::core {

struct RegionChange {
  std::string name;
  bool inFlight = false; // a copy or the like, whose time is not the tracks'
  size_t countBefore = 0, countAfter = 0;
  double selfBefore = 0, selfAfter = 0;     // ns per track; of what is in flight the total per track
  double medianBefore = 0, medianAfter = 0; // ns of one
  double firstBefore = 0, firstAfter = 0;   // ns from the trace's first mark to the first one's begin
  double growth() const { return selfAfter - selfBefore; }
};

struct TraceComparison {
  double lengthBefore = 0, lengthAfter = 0; // from the first mark to the last
  size_t tracksBefore = 0, tracksAfter = 0;
  std::vector<RegionChange> regions;          // what grew or shrank most first; then what is in flight
  double betweenBefore = 0, betweenAfter = 0; // ns per track in no region
  OverlapShares overlapBefore, overlapAfter;
  std::optional<GrownWait> wait; // the one that grew most
  /// Regions that both traces have; 0: the traces are hardly of one kernel.
  size_t shared() const;
};

TraceComparison compareTraces(const Trace &before, const Trace &after);

} // namespace lanescope::core
