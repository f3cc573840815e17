// Builds one track's slices from begin and end marks. The decoder of device buffers, the trace reader and the
// emulator's recorder share it.
//
//   SliceBuilder builder(track.slices);
//   builder.begin(name, 10); builder.end(20); builder.closeAll(20);
#pragma once

#include "core/Trace.h"

#include <algorithm>

namespace lanescope::core {

class SliceBuilder {
public:
  explicit SliceBuilder(std::vector<TraceSlice> &slices) : slices_(slices) {}

  void begin(uint32_t name, double timeNs, uint32_t place = 0) {
    open_.push_back(slices_.size());
    slices_.emplace_back(name, static_cast<uint32_t>(open_.size() - 1), timeNs, timeNs, place);
  }
  /// Ends the innermost open slice; false if none is open.
  bool end(double timeNs) {
    if (open_.empty())
      return false;
    TraceSlice &slice = slices_[open_.back()];
    slice.endNs = std::max(timeNs, slice.beginNs);
    open_.pop_back();
    return true;
  }
  bool isOpen() const { return !open_.empty(); }
  uint32_t innermostName() const { return slices_[open_.back()].name; }
  /// Ends all open slices, innermost first; returns their number.
  size_t closeAll(double timeNs) {
    size_t count = open_.size();
    while (end(timeNs)) {
    }
    return count;
  }

private:
  std::vector<TraceSlice> &slices_;
  std::vector<size_t> open_; // indices, outermost first
};

/// Sorts the slices of one track by begin, outer first, and recomputes their nesting.
inline void nestSlices(std::vector<TraceSlice> &slices) {
  auto before = [](const TraceSlice &a, const TraceSlice &b) {
    return a.beginNs != b.beginNs ? a.beginNs < b.beginNs : a.endNs > b.endNs;
  };
  if (!std::ranges::is_sorted(slices, before))
    std::ranges::stable_sort(slices, before);
  std::vector<double> ends;
  for (TraceSlice &slice : slices) {
    while (!ends.empty() && ends.back() <= slice.beginNs)
      ends.pop_back();
    slice.depth = static_cast<uint16_t>(std::min<size_t>(ends.size(), TraceSlice::kMost));
    ends.push_back(slice.endNs);
  }
}

} // namespace lanescope::core
