// All tracks of a trace in one small picture: a row for one track or a few, a column for a stretch of time, and in each
// cell the region that most of that time went to. What a trace of hundreds of tracks looks like, before one scrolls.
//
//   TrackMap map = trackMap(trace, tracks, 240, 48);
//   map.at(47, 0)       // index of a name, -1: no slice there
#pragma once

#include "core/Trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::viz {

struct TrackMap {
  size_t rows = 0, columns = 0;
  std::vector<int32_t> names; // by row, then column
  int32_t at(size_t row, size_t column) const { return names[row * columns + column]; }
  bool operator==(const TrackMap &) const = default;
};

/// `tracks`: indices into the trace's, from the top. At most `rows` rows: where there are more tracks, several share
/// one. The columns divide the whole trace alike. Outer slices count, of which a track has one at a time.
TrackMap trackMap(const core::Trace &trace, std::span<const int32_t> tracks, size_t columns, size_t rows);

} // namespace lanescope::viz
