// All tracks of a trace in one small picture. A row is one or several tracks, a column is a range of time, and a cell
// shows the region with the most time in it. It gives an overview of hundreds of tracks before the user scrolls.
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

/// Makes a map of at most `rows` rows. `tracks` are indices into the trace's tracks, from the top; if there are more
/// tracks than rows, several tracks share a row. The columns divide the whole trace equally. Only outermost slices
/// count, of which a track has one at a time.
TrackMap trackMap(const core::Trace &trace, std::span<const int32_t> tracks, size_t columns, size_t rows);

} // namespace lanescope::viz
