// The part of the timeline's model that explains: the chain of the selected slice, the critical path, comparison.
#include "layouts/support/Text.h"
#include "viz/gui/timeline/TimelineModel.h"
#include "viz/scene/TraceScene.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

void TimelineModel::poll() {
  bool waited = !insight_.causes();
  insight_.poll();
  if (waited && insight_.causes() && selected.valid())
    chainOf_ = {}; // from now on, the chain can be found
  if (selected != chainOf_)
    select(selected);
}

/// The index of the slice in the given trace, whose slices do not include operations in flight.
std::optional<uint32_t> TimelineModel::givenSlice(SliceRef ref) const {
  if (!slice(ref) || size_t(ref.track) >= given_->tracks.size())
    return std::nullopt;
  const std::vector<int32_t> &flights = laid_.flights[size_t(ref.track)];
  if (flights.empty())
    return uint32_t(ref.slice);
  if (flights[size_t(ref.slice)] >= 0)
    return std::nullopt;
  return uint32_t(std::count(flights.begin(), flights.begin() + ref.slice, -1));
}

SliceRef TimelineModel::sliceOf(const core::PathStep &step) const {
  if (step.kind == core::PathStep::Kind::Flight)
    return step.flight < flightAt_.size() ? flightAt_[step.flight] : SliceRef();
  if (step.slice == core::PathStep::kNone)
    return {};
  const std::vector<int32_t> &flights = laid_.flights[step.track];
  if (flights.empty())
    return {int32_t(step.track), int32_t(step.slice)};
  uint32_t ordinary = 0;
  for (size_t s = 0; s < flights.size(); ++s)
    if (flights[s] < 0 && ordinary++ == step.slice)
      return {int32_t(step.track), int32_t(s)};
  return {};
}

void TimelineModel::select(SliceRef ref) {
  selected = chainOf_ = ref;
  chain_.clear();
  why_ = {};
  if (!slice(ref) || !insight_.causes())
    return;
  int32_t flight = laid_.flights[size_t(ref.track)].empty() ? -1 : laid_.flights[size_t(ref.track)][size_t(ref.slice)];
  if (flight >= 0)
    why_ = insight_.whyIssued(given_->flights[size_t(flight)]);
  else if (auto given = givenSlice(ref))
    why_ = insight_.why(uint32_t(ref.track), *given);
  chain_ = core::chainOf(*insight_.causes(), why_);
}

const core::OverlapShares &TimelineModel::overlapShares() const {
  return insight_.shares(range_ ? std::optional(core::TraceStretch{range_->begin + originNs_, range_->end + originNs_})
                                : std::nullopt);
}

const core::CriticalPath &TimelineModel::shownPath() const {
  if (!showPath)
    return why_;
  bool some = selected.valid() && size_t(selected.track) < given_->tracks.size();
  return insight_.criticalPath(some ? std::optional(uint32_t(selected.track)) : std::nullopt);
}

std::vector<core::PathShare> TimelineModel::pathShares() const {
  return showPath ? core::sharesOf(shownPath()) : std::vector<core::PathShare>();
}
double TimelineModel::pathUntold() const { return shownPath().untoldNs(); }
double TimelineModel::pathLength() const { return shownPath().endNs - shownPath().beginNs; }

void TimelineModel::composePath(double width, double height, double rowHeight) {
  constexpr size_t kMost = 4000;
  const core::CriticalPath &path = shownPath();
  double begin = view_.begin + originNs_, end = view_.end + originNs_, perPixel = view_.length() / width;
  auto first = std::ranges::partition_point(path.steps, [&](const core::PathStep &step) { return step.beginNs > end; });
  for (auto step = first; step != path.steps.end() && step->endNs >= begin && frame_.path.size() < kMost; ++step) {
    bool flies = step->kind == core::PathStep::Kind::Flight;
    SliceRef at = flies ? sliceOf(*step) : SliceRef{int32_t(step->track), -1};
    if (!at.valid())
      at = {int32_t(step->track), -1};
    double row = rowOf_[size_t(at.track)];
    if (row < 0)
      continue;
    const core::TraceSlice *bar = slice(at);
    double y = row - scroll_ + ((bar ? bar->depth : 0) + 0.5) * rowHeight;
    float x0 = float((step->beginNs - begin) / perPixel), x1 = float((step->endNs - begin) / perPixel);
    // Many short steps in a row become one line.
    if (!frame_.path.empty() && frame_.path.back().y == float(y) && x1 - x0 < 1 && frame_.path.back().flies == flies)
      frame_.path.back().x0 = x0;
    else
      frame_.path.push_back({x0, x1, float(std::clamp(y, -rowHeight, height + rowHeight)), flies});
  }
}

void TimelineModel::compare(bool on) {
  if (on && previous_)
    insight_.compareWith(previous_);
  else
    insight_.compareNoMore();
  ghost_.reset();
}

std::string TimelineModel::placeOf(SliceRef ref) const {
  const core::TraceSlice *found = slice(ref);
  if (!found)
    return {};
  uint32_t place = found->place;
  if (const auto &flights = laid_.flights[size_t(ref.track)]; !flights.empty() && flights[size_t(ref.slice)] >= 0)
    place = given_->flights[size_t(flights[size_t(ref.slice)])].place;
  return place < given_->places.size() ? given_->places[place] : std::string();
}

std::string TimelineModel::causePlace() const {
  for (const core::ChainLink &link : chain_) {
    if (link.step.kind == core::PathStep::Kind::Flight && link.step.place != 0)
      return given_->places[link.step.place];
    if (link.step.kind == core::PathStep::Kind::Run && &link != chain_.data()) // the track that arrived
      if (uint32_t at = insight_.causes()->innermostAt(link.step.track, link.step.endNs);
          at != core::TraceCauses::kNoSlice && given_->tracks[link.step.track].slices[at].place != 0)
        return given_->places[given_->tracks[link.step.track].slices[at].place];
  }
  return placeOf(selected);
}

void TimelineModel::askForCode() {
  wantedPlace = causePlace();
  if (const core::TraceSlice *found = slice(selected); found && wantedPlace.empty())
    wantedRegion = core::regionName(*trace_, found->name);
}

std::string TimelineModel::gapWords(double x, double y, double width) const {
  std::optional<RowRecord> row = rowAt(y);
  if (!row || row->track < 0 || lanes_[size_t(row->track)].empty())
    return {};
  const std::vector<core::TraceSlice> &slices = trace_->tracks[size_t(row->track)].slices;
  const std::vector<int32_t> &lane = lanes_[size_t(row->track)][0].slices;
  double ns = timeAt(x, width) + originNs_;
  auto next = std::ranges::partition_point(lane, [&](int32_t s) { return slices[size_t(s)].endNs <= ns; });
  if (next != lane.end() && slices[size_t(*next)].beginNs <= ns)
    return {}; // inside of a slice, perhaps of a deeper one
  bool flown = size_t(row->track) >= laid_.flights.size() || !laid_.flights[size_t(row->track)].empty();
  std::string what = flown ? "nothing here" : "no regions marked";
  if (next == lane.begin() || next == lane.end())
    return text(what, next == lane.begin() ? ": before the track's first mark" : ": after the track's last mark");
  double from = slices[size_t(*std::prev(next))].endNs, to = slices[size_t(*next)].beginNs;
  return text(what, " for ", timeText(to - from), "  (", timeText(from - originNs_), " to ", timeText(to - originNs_),
              ")");
}

} // namespace lanescope::viz
