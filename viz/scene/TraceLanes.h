// A trace ready to draw: what is in flight in lanes of its own, below the slices of its track, and arrows by the slices
// that they join.
//
//   slices of the track      load ▁▁▁▁▁ wait ▁▁▁▁
//   lane of "TMA load"          [ 16384 bytes  ]
//                                   [ 16384 bytes  ]     overlaps the one above: one lane further down
//   lane of "wgmma"                        [ m64n128k16 ]
//
// Both views of traces draw this: to them a flight is a slice whose depth is its lane.
#pragma once

#include "core/Trace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::viz {

struct TraceEnd {
  int32_t track = -1, slice = -1; // in TraceLanes::trace; slice -1: no slice is there, the arrow ends at the track
  double ns = 0;
};
struct TraceArrow {
  uint32_t name = 0;
  TraceEnd from, to;
};

struct TraceLanes {
  std::shared_ptr<const core::Trace> trace;  // flights are among its slices
  std::vector<std::vector<int32_t>> flights; // by track and slice: in trace->flights, -1: an ordinary slice
  std::vector<TraceArrow> arrows;            // by their begin
  double longestArrowNs = 0;

  /// What is known of a slice that is in flight; empty for others.
  std::string detail(int32_t track, int32_t slice) const;
};

/// Shares `trace` where it has no flights. Arrows whose tracks it lacks are left out.
TraceLanes layTrace(std::shared_ptr<const core::Trace> trace);

} // namespace lanescope::viz
