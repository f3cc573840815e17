// Draws the previous trace below the current one. The two are aligned at their first marks.
#include "layouts/support/Text.h"
#include "viz/gui/timeline/TimelineModel.h"
#include "viz/scene/TraceScene.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {
constexpr double kGhostShare = 0.25;  // relative to a bar's height
constexpr double kNoticeableNs = 0.5; // the same as in core/profiler/GrownWait.cpp
} // namespace

void TimelineModel::layGhost() {
  if (!previous_ || !trace_ || comparison()->shared() == 0)
    return;
  Ghost ghost{layTrace(previous_), {}, 0, {}, {}};
  ghost.to = core::alignTraces(*ghost.trace, *trace_);
  ghost.originNs = traceBeginNs(*ghost.trace);
  ghost.lanes.resize(trace_->tracks.size());
  ghost.now.resize(trace_->tracks.size());
  for (size_t t = 0; t < trace_->tracks.size(); ++t) {
    if (ghost.to.tracks[t] < 0)
      continue;
    const auto &there = ghost.trace->tracks[size_t(ghost.to.tracks[t])].slices;
    std::vector<int32_t> back(there.size(), -1);
    for (size_t s = 0; s < ghost.to.slices[t].size(); ++s)
      if (int32_t was = ghost.to.slices[t][s]; was >= 0)
        back[size_t(was)] = int32_t(s);
    for (size_t s = 0; s < there.size(); ++s) {
      uint32_t depth = there[s].depth;
      if (depth >= lanes_[t].size())
        continue; // no row of this trace has that depth
      if (ghost.lanes[t].size() <= depth)
        ghost.lanes[t].resize(depth + 1), ghost.now[t].resize(depth + 1);
      ghost.lanes[t][depth].slices.push_back(int32_t(s));
      ghost.now[t][depth].push_back(back[s]);
    }
  }
  ghost_ = std::move(ghost);
}

void TimelineModel::composeGhosts(const Row &row, uint32_t depth, double width, double height, double rowHeight) {
  double y = row.y - scroll_ + depth * rowHeight;
  if (y + rowHeight <= 0 || y >= height)
    return;
  const auto track = size_t(row.track);
  const auto &slices = ghost_->trace->tracks[size_t(ghost_->to.tracks[track])].slices;
  const std::vector<int32_t> &lane = ghost_->lanes[track][depth].slices;
  double begin = view_.begin + ghost_->originNs, end = view_.end + ghost_->originNs, perPixel = view_.length() / width;
  auto at = std::partition_point(lane.begin(), lane.end(), [&](int32_t s) { return slices[size_t(s)].endNs <= begin; });
  while (at != lane.end() && slices[size_t(*at)].beginNs < end) {
    const core::TraceSlice &slice = slices[size_t(*at)];
    double x0 = (slice.beginNs - begin) / perPixel, x1 = (slice.endNs - begin) / perPixel;
    auto next = at + 1;
    if (x1 - x0 < 1) { // as for bars, all slices that end within this pixel are drawn as one
      double pixelEnd = begin + (std::floor(x0) + 1) * perPixel;
      next = std::partition_point(next, lane.end(), [&](int32_t s) { return slices[size_t(s)].endNs <= pixelEnd; });
      x0 = std::floor(x0), x1 = x0 + 1;
    }
    int32_t now = ghost_->now[track][depth][size_t(at - lane.begin())];
    bool matched = next == at + 1 && now >= 0;
    double place = matched ? pixelAt(beginOf({row.track, now}), width) : x0;
    frame_.ghosts.push_back({float(std::max(x0, 0.0)), float(std::min(std::max(x1, x0 + 1), width)),
                             float(y + rowHeight * (1 - kGhostShare)), float(y + rowHeight - 1), slice.name, matched,
                             float(std::clamp(place, 0.0, width))});
    at = next;
  }
}

void TimelineModel::composeCallout(double width, double height, double rowHeight) {
  if (!ghost_ || !comparison() || !comparison()->wait)
    return;
  const core::GrownWait &wait = *comparison()->wait;
  const core::TraceTrack &given = given_->tracks[wait.trackIndex];
  for (int32_t t = 0; t < int32_t(trace_->tracks.size()); ++t) {
    const core::TraceTrack &track = trace_->tracks[size_t(t)];
    if (track.pid != given.pid || track.tid != given.tid || rowOf_[size_t(t)] < 0)
      continue;
    auto found = std::ranges::find_if(track.slices, [&](const core::TraceSlice &slice) {
      return slice.beginNs == wait.beginNs && core::regionName(*trace_, slice.name) == wait.name;
    });
    if (found == track.slices.end())
      continue;
    double y = rowOf_[size_t(t)] - scroll_ + found->depth * rowHeight;
    double x0 = pixelAt(found->beginNs - originNs_, width), x1 = pixelAt(found->endNs - originNs_, width);
    if (y + rowHeight <= 0 || y >= height || x1 < 0 || x0 >= width)
      return;
    frame_.callout = {float(std::max(x0, 0.0)), float(std::min(std::max(x1, x0 + 1), width)), float(y),
                      float(y + rowHeight - 1), core::grownWaitText(wait)};
    return;
  }
}

std::string TimelineModel::beforeWords(SliceRef ref) const {
  const core::TraceSlice *now = slice(ref);
  if (!now || !ghost_)
    return {};
  int32_t index = ghost_->to.slices[size_t(ref.track)][size_t(ref.slice)];
  if (index < 0)
    return "not in the trace before";
  const core::TraceSlice &was =
      ghost_->trace->tracks[size_t(ghost_->to.tracks[size_t(ref.track)])].slices[size_t(index)];
  double later = beginOf(ref) - (was.beginNs - ghost_->originNs);
  std::string began = std::abs(later) < kNoticeableNs
                          ? "began at the same time"
                          : text("began ", timeText(std::abs(later)), later > 0 ? " earlier" : " later");
  return text("before: ", timeText(was.endNs - was.beginNs), ", ", began);
}

} // namespace lanescope::viz
