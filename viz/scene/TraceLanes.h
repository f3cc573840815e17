// A trace that is ready to draw. Operations in flight have lanes below the slices of their track, and arrows refer to
// the slices that they connect.
//
//   slices of the track      load ▁▁▁▁▁ wait ▁▁▁▁
//   lane of "TMA load"          [ 16384 bytes  ]
//                                   [ 16384 bytes  ]     overlaps the one above: one lane further down
//   lane of "wgmma"                        [ m64n128k16 ]
//
// Both views of traces draw this. In it, a flight is a slice whose depth is its lane.
#pragma once

#include "core/Trace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::viz {

struct TraceEnd {
  // Indices in TraceLanes::trace; slice -1: there is no slice, and the arrow ends at the track.
  int32_t track = -1, slice = -1;
  double ns = 0;
};
struct TraceArrow {
  uint32_t name = 0;
  TraceEnd from, to;
};

struct TraceLanes {
  std::shared_ptr<const core::Trace> trace; // the trace, with the flights among its slices
  // By track and slice: the index in trace->flights; -1 for an ordinary slice.
  std::vector<std::vector<int32_t>> flights;
  std::vector<TraceArrow> arrows; // sorted by their begin
  double longestArrowNs = 0;

  /// The details of a flight; empty for an ordinary slice.
  std::string detail(int32_t track, int32_t slice) const;
};

/// If `trace` has no flights, shares it and makes no copy. Drops arrows whose tracks are missing.
TraceLanes layTrace(std::shared_ptr<const core::Trace> trace);

} // namespace lanescope::viz
