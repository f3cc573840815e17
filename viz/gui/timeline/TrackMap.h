// All tracks of a trace in one small picture. A row is one or several tracks, and a column is a range of time. A cell
// shows the region that takes the most time in it. The picture is an overview of hundreds of tracks.
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

  /// Calls `draw(row, begin, end, name)` for each run of equal cells in a row that show a name.
  template <typename Draw> void forRuns(Draw draw) const {
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0, next = 0; column < columns; column = next) {
        int32_t name = at(row, column);
        for (next = column + 1; next < columns && at(row, next) == name;)
          ++next;
        if (name >= 0)
          draw(row, column, next, static_cast<uint32_t>(name));
      }
  }
};

/// Makes a map with at most `rows` rows. `tracks` are indices into the trace's tracks, from the top. If there are more
/// tracks than rows, several tracks share a row. The columns divide the whole trace equally. Only outermost slices
/// count, because a track has only one of them at a time.
TrackMap trackMap(const core::Trace &trace, std::span<const int32_t> tracks, size_t columns, size_t rows);

} // namespace lanescope::viz
