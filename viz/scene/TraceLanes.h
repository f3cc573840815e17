// A trace ready to draw: operations in flight get lanes below the slices of their track, and arrows refer to the slices
// that they join.
//
//   slices of the track      load ▁▁▁▁▁ wait ▁▁▁▁
//   lane of "TMA load"          [ 16384 bytes  ]
//                                   [ 16384 bytes  ]     overlaps the one above: one lane further down
//   lane of "wgmma"                        [ m64n128k16 ]
//
// Both views of traces draw this. For them, a flight is a slice whose depth is its lane.
#pragma once

#include "core/Trace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::viz {

struct TraceEnd {
  int32_t track = -1, slice = -1; // in TraceLanes::trace; slice -1: there is no slice, and the arrow ends at the track
  double ns = 0;
};
struct TraceArrow {
  uint32_t name = 0;
  TraceEnd from, to;
};

struct TraceLanes {
  std::shared_ptr<const core::Trace> trace; // with flights among its slices
  // By track and slice: index into trace->flights, or -1 for an ordinary slice.
  std::vector<std::vector<int32_t>> flights;
  std::vector<TraceArrow> arrows; // sorted by their begin
  double longestArrowNs = 0;

  /// The details of a slice that is in flight; empty for others.
  std::string detail(int32_t track, int32_t slice) const;
};

/// Shares `trace` if it has no flights. Drops arrows whose tracks are missing.
TraceLanes layTrace(std::shared_ptr<const core::Trace> trace);

} // namespace lanescope::viz
