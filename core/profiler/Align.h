// Two traces of one kernel laid over each other: which track, and which slice of it, is which of the trace before.
//
//   TraceAlignment to = alignTraces(before, after);
//   to.tracks[2]          // 2: the track of `before` that has the same name; -1: there is none
//   to.slices[2][7]       // 6: the slice of that track that is the same occurrence of its region; -1: there is none
//
// Tracks go by their names, tracks of one name by their order, and slices by the number of the region on their track.
#pragma once

#include "core/Trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

/// A name for each track that no other track has: where several are named alike, their number is added.
std::vector<std::string> trackKeys(const Trace &trace);

struct TraceAlignment {
  std::vector<int32_t> tracks;              // by track of the later trace
  std::vector<std::vector<int32_t>> slices; // by track and slice of it
};

TraceAlignment alignTraces(const Trace &before, const Trace &after);

} // namespace lanescope::core
