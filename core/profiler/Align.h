// Matches two traces of one kernel: finds the earlier trace's track for each track, and its slice for each slice.
//
//   TraceAlignment to = alignTraces(before, after);
//   to.tracks[2]          // 2: the track of `before` that has the same name; -1: there is none
//   to.slices[2][7]       // 6: the slice of that track that is the same occurrence of its region; -1: there is none
//
// Tracks match by their names, and tracks of one name match in order. The nth slice of a region matches the nth slice
// of that region on the other track.
#pragma once

#include "core/Trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

/// A unique name for each track: if several have the same name, their number is added.
std::vector<std::string> trackKeys(const Trace &trace);

struct TraceAlignment {
  std::vector<int32_t> tracks;              // indexed by the later trace's track
  std::vector<std::vector<int32_t>> slices; // indexed by track and slice of the later trace
};

TraceAlignment alignTraces(const Trace &before, const Trace &after);

} // namespace lanescope::core
