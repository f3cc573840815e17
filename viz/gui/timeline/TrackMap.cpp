#include "viz/gui/timeline/TrackMap.h"

#include "viz/scene/TraceScene.h"

#include <algorithm>
#include <map>
#include <vector>

namespace lanescope::viz {

namespace {

/// The time of each name in a column. This is a map, because a column has only few of the trace's names.
using ByName = std::map<uint32_t, double>;

/// Adds the slice's time to its name in each column that it touches.
void addSlice(const core::TraceSlice &slice, double origin, double step, std::span<ByName> columns) {
  double begin = (slice.beginNs - origin) / step, end = (slice.endNs - origin) / step;
  auto first = static_cast<size_t>(std::clamp(begin, 0.0, static_cast<double>(columns.size() - 1)));
  auto last = static_cast<size_t>(std::clamp(end, 0.0, static_cast<double>(columns.size() - 1)));
  for (size_t column = first; column <= last; ++column) {
    auto left = static_cast<double>(column);
    columns[column][slice.name] += std::max(std::min(end, left + 1) - std::max(begin, left), 0.0);
  }
}

} // namespace

TrackMap trackMap(const core::Trace &trace, std::span<const int32_t> tracks, size_t columns, size_t rows) {
  TrackMap out{std::min(rows, tracks.size()), columns, {}};
  out.names.assign(out.rows * columns, -1);
  const double origin = traceBeginNs(trace), length = traceLengthNs(trace);
  if (!(length > 0) || columns == 0)
    return out;
  std::vector<ByName> taken;
  for (size_t row = 0; row < out.rows; ++row) {
    taken.assign(columns, {});
    size_t from = row * tracks.size() / out.rows, to = (row + 1) * tracks.size() / out.rows;
    for (size_t n = from; n < to; ++n)
      for (const core::TraceSlice &slice : trace.tracks[static_cast<size_t>(tracks[n])].slices)
        if (slice.depth == 0)
          addSlice(slice, origin, length / static_cast<double>(columns), taken);
    for (size_t column = 0; column < columns; ++column) {
      auto most = std::ranges::max_element(taken[column], {}, &ByName::value_type::second);
      if (most != taken[column].end() && most->second > 0)
        out.names[row * columns + column] = static_cast<int32_t>(most->first);
    }
  }
  return out;
}

} // namespace lanescope::viz
