#include "viz/gui/timeline/TrackMap.h"

#include "viz/scene/TraceScene.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {

/// Adds what each name takes of the columns that a slice touches; `taken`: by column, then name.
void addSlice(const core::TraceSlice &slice, double origin, double step, size_t columns, size_t names,
              std::vector<double> &taken) {
  double begin = (slice.beginNs - origin) / step, end = (slice.endNs - origin) / step;
  auto first = static_cast<size_t>(std::clamp(begin, 0.0, static_cast<double>(columns - 1)));
  auto last = static_cast<size_t>(std::clamp(end, 0.0, static_cast<double>(columns - 1)));
  for (size_t column = first; column <= last; ++column) {
    auto left = static_cast<double>(column);
    taken[column * names + slice.name] += std::max(std::min(end, left + 1) - std::max(begin, left), 0.0);
  }
}

} // namespace

TrackMap trackMap(const core::Trace &trace, std::span<const int32_t> tracks, size_t columns, size_t rows) {
  TrackMap out{std::min(rows, tracks.size()), columns, {}};
  out.names.assign(out.rows * columns, -1);
  const double origin = traceBeginNs(trace), length = traceLengthNs(trace);
  const size_t names = trace.names.size();
  if (!(length > 0) || names == 0 || columns == 0)
    return out;
  std::vector<double> taken;
  for (size_t row = 0; row < out.rows; ++row) {
    taken.assign(columns * names, 0);
    size_t from = row * tracks.size() / out.rows, to = (row + 1) * tracks.size() / out.rows;
    for (size_t n = from; n < to; ++n)
      for (const core::TraceSlice &slice : trace.tracks[static_cast<size_t>(tracks[n])].slices)
        if (slice.depth == 0)
          addSlice(slice, origin, length / static_cast<double>(columns), columns, names, taken);
    for (size_t column = 0; column < columns; ++column) {
      auto begin = taken.begin() + static_cast<std::ptrdiff_t>(column * names);
      auto most = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(names));
      if (*most > 0)
        out.names[row * columns + column] = static_cast<int32_t>(most - begin);
    }
  }
  return out;
}

} // namespace lanescope::viz
