#include "viz/gui/timeline/TimelineModel.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/scene/TraceScene.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ranges>

namespace lanescope::viz {

namespace {
constexpr double kShortestViewNs = 1;
constexpr double kHeadingHeight = 1.25; // multiples of the row height
constexpr double kTrackGap = 0.2;
constexpr size_t kMostArrows = 400;     // the most arrows that are drawn at once
constexpr size_t kMostVisited = 20'000; // the most arrows that a frame visits

} // namespace

void TimelineModel::show(std::shared_ptr<const core::Trace> trace, std::string file) {
  std::shared_ptr<const core::Trace> before = sliceCount_ > 0 ? given_ : previous_;
  std::string beforeTitle = sliceCount_ > 0 ? title : previousTitle_;
  std::shared_ptr<const DebugTarget> run = std::move(debugged);
  *this = TimelineModel();
  debugged = std::move(run);
  if (before && before != trace)
    previous_ = std::move(before), previousTitle_ = std::move(beforeTitle);
  if (!trace)
    return;
  given_ = std::move(trace);
  laid_ = layTrace(given_);
  trace_ = laid_.trace;
  originNs_ = traceBeginNs(*trace_);
  notes.show(*given_, originNs_, std::move(file));
  length_ = std::max(traceLengthNs(*trace_), kShortestViewNs);
  lanes_.resize(trace_->tracks.size());
  for (size_t t = 0; t < trace_->tracks.size(); ++t) {
    const core::TraceTrack &track = trace_->tracks[t];
    sliceCount_ += int64_t(track.slices.size());
    for (size_t s = 0; s < track.slices.size(); ++s) {
      uint32_t depth = track.slices[s].depth;
      if (lanes_[t].size() <= depth)
        lanes_[t].resize(depth + 1);
      lanes_[t][depth].slices.push_back(int32_t(s));
    }
  }
  flightAt_.resize(given_->flights.size());
  for (size_t t = 0; t < laid_.flights.size(); ++t)
    for (size_t s = 0; s < laid_.flights[t].size(); ++s)
      if (int32_t flight = laid_.flights[t][s]; flight >= 0)
        flightAt_[size_t(flight)] = {int32_t(t), int32_t(s)};
  layGroups();
  indexArrows();
  filter.reset(trace_->names);
  showAll();
  insight_.show(given_, sliceCount_);
}

/// Maps "block (3, 0, 0) warpgroup 1" to "block (3, 0, 0)". A name without a block is returned unchanged.
static std::string blockOf(const std::string &track) {
  size_t end = track.starts_with("block (") ? track.find(')') : std::string::npos;
  return end == std::string::npos ? track : track.substr(0, end + 1);
}

void TimelineModel::layGroups() {
  constexpr size_t kMostOfProcess = 64; // the most tracks under one heading; with more, each block has a heading
  std::map<int64_t, size_t> tracksOf;
  for (const core::TraceTrack &track : trace_->tracks)
    ++tracksOf[track.pid];
  auto flown = core::flightTracks(*given_);
  using Key = std::pair<int64_t, std::string>;
  std::vector<Key> keys;
  // The processors by number, and the blocks of each in the order of the trace.
  std::map<int64_t, std::vector<Key>> blocks;
  std::map<Key, size_t> known;
  for (const core::TraceTrack &track : trace_->tracks) {
    bool many = tracksOf[track.pid] > kMostOfProcess && track.threadName.starts_with("block (");
    keys.emplace_back(track.pid, many ? blockOf(track.threadName) : std::string());
    if (known.emplace(keys.back(), 0).second)
      blocks[track.pid].push_back(keys.back());
  }
  for (const auto &[pid, of] : blocks)
    for (const Key &key : of) {
      known[key] = groups_.size();
      groups_.emplace_back();
    }
  for (size_t t = 0; t < trace_->tracks.size(); ++t) {
    const core::TraceTrack &track = trace_->tracks[t];
    Group &group = groups_[known[keys[t]]];
    group.pid = track.pid;
    group.tracks.push_back(int32_t(t));
    group.working += !flown.contains({track.pid, track.tid});
    if (group.name.empty())
      group.name = core::processName(track) + (keys[t].second.empty() ? "" : ", " + keys[t].second);
  }
  for (const Group &group : groups_)
    order_.insert(order_.end(), group.tracks.begin(), group.tracks.end());
  constexpr size_t kFewTracks = 64, kColumns = 240, kRows = 48;
  if (order_.size() > kFewTracks)
    overview_ = trackMap(*trace_, order_, kColumns, kRows);
}

const TrackMap *TimelineModel::foldedMap(int32_t group) const {
  constexpr size_t kColumns = 240;
  const Group &of = groups_[size_t(group)];
  if (!of.collapsed)
    return nullptr;
  if (!of.map)
    of.map = trackMap(*trace_, of.tracks, kColumns, 1);
  return &*of.map;
}

void TimelineModel::goToOverview(double x, double y) {
  if (!overview_)
    return;
  double half = view_.length() / 2, middle = std::clamp(x, 0.0, 1.0) * length_;
  setView({middle - half, middle + half});
  auto n = static_cast<size_t>(std::clamp(y, 0.0, 1.0) * double(order_.size() - 1) + 0.5);
  int32_t track = order_[n];
  for (const Row &row : rows_) { // if the track's group is folded, scrolls to its heading
    bool heads = row.track < 0 && std::ranges::count(groups_[size_t(row.group)].tracks, track) > 0;
    if (row.track == track || heads)
      scroll_ = row.y - shownHeight_ / 2;
    if (row.track == track)
      return;
  }
}

void TimelineModel::composeOverview(double height) {
  frame_.overview.reset();
  if (!overview_)
    return;
  // The indices, among all tracks, of the first and the last row that are visible.
  size_t before = 0, until = 0, passed = 0;
  for (size_t g = 0, r = 0; g < groups_.size(); ++g) {
    size_t first = passed, count = groups_[g].tracks.size();
    for (; r < rows_.size() && rows_[r].group == int32_t(g); ++r) {
      const Row &row = rows_[r];
      size_t from = row.track < 0 ? first : passed, to = row.track < 0 && groups_[g].collapsed ? first + count : from;
      if (row.track >= 0)
        to = ++passed;
      if (row.y + row.height <= scroll_)
        before = std::max(before, to);
      if (row.y < scroll_ + height)
        until = std::max(until, to);
    }
    passed = first + count;
  }
  auto all = float(order_.size());
  auto share = [&](double time) { return float(std::clamp(time / length_, 0.0, 1.0)); };
  frame_.overview = OverviewRecord{share(view_.begin), share(view_.end), float(before) / all, float(until) / all};
}

void TimelineModel::setView(TimeRange range) {
  double span = std::clamp(range.length(), kShortestViewNs, std::max(length_ * 1.2, kShortestViewNs));
  double middle = (range.begin + range.end) / 2;
  double margin = span * 0.5; // a margin of half a screen at each end is enough to find the way back
  middle =
      std::clamp(middle, std::min(span / 2 - margin, length_ / 2), std::max(length_ - span / 2 + margin, length_ / 2));
  view_ = {middle - span / 2, middle + span / 2};
}

void TimelineModel::zoomAt(double pixel, double width, double factor) {
  if (width <= 0 || factor <= 0)
    return;
  double at = timeAt(pixel, width);
  double span = std::clamp(view_.length() / factor, kShortestViewNs, std::max(length_ * 1.2, kShortestViewNs));
  double begin = at - pixel / width * span;
  setView({begin, begin + span});
}

void TimelineModel::panPixels(double pixels, double width) {
  if (width <= 0)
    return;
  double by = pixels / width * view_.length();
  setView({view_.begin - by, view_.end - by});
}

void TimelineModel::showAll() { view_ = {-length_ * 0.01, length_ * 1.01}; }

void TimelineModel::layRows(double rowHeight) {
  rowsFor_ = rowHeight;
  rows_.clear();
  rowOf_.assign(lanes_.size(), -1);
  double y = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    rows_.push_back({y, rowHeight * kHeadingHeight, -1, int32_t(g)});
    y += rowHeight * kHeadingHeight;
    if (groups_[g].collapsed)
      continue;
    for (int32_t track : groups_[g].tracks) {
      double height = rowHeight * double(std::max<size_t>(lanes_[track].size(), 1));
      rows_.push_back({y, height, track, int32_t(g)});
      rowOf_[size_t(track)] = y;
      y += height + rowHeight * kTrackGap;
    }
  }
  contentHeight_ = y;
}

const TimelineFrame &TimelineModel::compose(double width, double height, double rowHeight) {
  frame_.bars.clear(), frame_.rows.clear(), frame_.ticks.clear(), frame_.arrows.clear();
  frame_.path.clear(), frame_.overlap.clear(), frame_.notes.clear(), frame_.occupancy.clear(), frame_.tail.reset();
  frame_.arrowsLeftOut = 0;
  frame_.ghosts.clear(), frame_.callout.reset();
  if (comparison() && !ghost_)
    layGhost();
  if (!trace_ || width <= 0 || height <= 0 || rowHeight <= 0)
    return frame_;
  if (rowsFor_ != rowHeight)
    layRows(rowHeight);
  shownHeight_ = height;
  scroll_ = std::clamp(scroll_, 0.0, std::max(0.0, contentHeight_ - height));
  auto first =
      std::partition_point(rows_.begin(), rows_.end(), [&](const Row &row) { return row.y + row.height <= scroll_; });
  for (auto row = first; row != rows_.end() && row->y < scroll_ + height; ++row) {
    frame_.rows.push_back({float(row->y - scroll_), float(row->y + row->height - scroll_), row->track, row->group,
                           groups_[row->group].collapsed});
    if (row->track >= 0)
      for (uint32_t depth = 0; depth < lanes_[row->track].size(); ++depth)
        composeLane(*row, depth, width, height, rowHeight);
    for (uint32_t depth = 0; ghost_ && row->track >= 0 && depth < ghost_->lanes[size_t(row->track)].size(); ++depth)
      composeGhosts(*row, depth, width, height, rowHeight);
  }
  composeOverview(height);
  composeTicks(width, rowHeight);
  composeArrows(width, height, rowHeight);
  composeCallout(width, height, rowHeight);
  composePath(width, height, rowHeight);
  if (showOverlap)
    frame_.overlap = insight_.overlap({view_.begin + originNs_, view_.end + originNs_}, size_t(width / 2)).bins;
  if (const core::TraceOccupancy &blocks = occupancy(); showOccupancy && !blocks.processes.empty()) {
    frame_.occupancy = insight_.occupancyOver({view_.begin + originNs_, view_.end + originNs_},
                                              std::max<size_t>(size_t(width / 2), 1));
    if (double x = pixelAt(blocks.endNs - blocks.tailNs - originNs_, width); blocks.tailNs > 0 && x >= 0 && x < width)
      frame_.tail = float(x);
  }
  for (size_t n = 0; n < notes.all().size(); ++n)
    if (double x = pixelAt(notes.time(n), width); x >= 0 && x < width)
      frame_.notes.push_back({float(x), n});
  return frame_;
}

void TimelineModel::indexArrows() {
  arrowEnds_.clear();
  arrowEnds_.reserve(2 * laid_.arrows.size());
  for (uint32_t index = 0; index < laid_.arrows.size(); ++index)
    for (const TraceEnd &end : {laid_.arrows[index].from, laid_.arrows[index].to})
      arrowEnds_.emplace_back(SliceRef{end.track, end.slice}, index);
  std::ranges::sort(arrowEnds_);
}

std::vector<uint32_t> TimelineModel::arrowsAt(SliceRef ref) const {
  std::vector<uint32_t> out;
  if (!ref.valid())
    return out;
  for (const auto &[end, index] :
       std::ranges::equal_range(arrowEnds_, ref, {}, &decltype(arrowEnds_)::value_type::first))
    if (out.empty() || out.back() != index) // an arrow may lead from a slice to the same slice
      out.push_back(index);
  return out;
}

void TimelineModel::composeArrows(double width, double height, double rowHeight) {
  double begin = view_.begin + originNs_, end = view_.end + originNs_, perPixel = view_.length() / width;
  auto place = [&](const TraceEnd &at, float &x, float &y) {
    uint32_t depth = at.slice < 0 ? 0 : trace_->tracks[size_t(at.track)].slices[size_t(at.slice)].depth;
    x = float((at.ns - begin) / perPixel);
    y = float(rowOf_[size_t(at.track)] - scroll_ + (depth + 0.5) * rowHeight);
  };
  auto beganBefore = [&](double ns) {
    auto at = std::ranges::partition_point(laid_.arrows, [&](const TraceArrow &arrow) { return arrow.from.ns < ns; });
    return static_cast<uint32_t>(at - laid_.arrows.begin());
  };
  uint32_t first = beganBefore(begin - laid_.longestArrowNs), last = beganBefore(end);
  std::vector<uint32_t> lit = arrowsAt(hovered), chosen = arrowsAt(selected), both;
  std::ranges::set_union(lit, chosen, std::back_inserter(both));
  auto add = [&](uint32_t index) {
    const TraceArrow &arrow = laid_.arrows[index];
    if (arrow.to.ns < begin || rowOf_[size_t(arrow.from.track)] < 0 || rowOf_[size_t(arrow.to.track)] < 0)
      return;
    ArrowRecord record{};
    record.lit = std::ranges::binary_search(both, index);
    place(arrow.from, record.x0, record.y0);
    place(arrow.to, record.x1, record.y1);
    if (std::max(record.y0, record.y1) < 0 || std::min(record.y0, record.y1) > height)
      return;
    if (!record.lit && frame_.arrows.size() >= kMostArrows)
      ++frame_.arrowsLeftOut;
    else
      frame_.arrows.push_back(record);
  };
  if (last - first > kMostVisited) {
    auto inSight = [&](uint32_t index) { return index >= first && index < last; };
    std::ranges::for_each(both | std::views::filter(inSight), add);
    frame_.arrowsLeftOut = int64_t{last - first} - int64_t(frame_.arrows.size());
    return;
  }
  for (uint32_t index = first; index < last; ++index)
    add(index);
  if (frame_.arrowsLeftOut == 0)
    return;
  // Too many arrows are unreadable, so only those of the hovered and the selected slice are kept.
  size_t before = frame_.arrows.size();
  std::erase_if(frame_.arrows, [](const ArrowRecord &arrow) { return !arrow.lit; });
  frame_.arrowsLeftOut += int64_t(before - frame_.arrows.size());
}

void TimelineModel::composeLane(const Row &row, uint32_t depth, double width, double height, double rowHeight) {
  double y = row.y - scroll_ + depth * rowHeight;
  if (y + rowHeight <= 0 || y >= height)
    return;
  const auto &slices = trace_->tracks[row.track].slices;
  const std::vector<int32_t> &lane = lanes_[row.track][depth].slices;
  double begin = view_.begin + originNs_, end = view_.end + originNs_, perPixel = view_.length() / width;
  auto at = std::partition_point(lane.begin(), lane.end(), [&](int32_t s) { return slices[s].endNs <= begin; });
  while (at != lane.end() && slices[*at].beginNs < end) {
    const core::TraceSlice &slice = slices[*at];
    double x0 = (slice.beginNs - begin) / perPixel, x1 = (slice.endNs - begin) / perPixel;
    auto next = at + 1;
    if (x1 - x0 < 1) {
      // All slices that end within this pixel are one bar.
      double pixelEnd = begin + (std::floor(x0) + 1) * perPixel;
      next = std::partition_point(next, lane.end(), [&](int32_t s) { return slices[s].endNs <= pixelEnd; });
      x0 = std::floor(x0), x1 = x0 + 1;
    }
    int32_t merged = int32_t(next - at);
    frame_.bars.push_back({float(std::max(x0, 0.0)),
                           float(std::min(std::max(x1, x0 + 1), width)),
                           float(y),
                           float(y + rowHeight - 1),
                           slice.name,
                           {row.track, *at},
                           merged,
                           !filter.matches(slice.name) || !isLit({row.track, *at})});
    at = next;
  }
}

void TimelineModel::composeTicks(double width, double rowHeight) {
  // There is about one labelled tick per six row heights, because these grow with the text. The step is 1, 2 or 5 times
  // a power of ten.
  double wanted = view_.length() / std::max(1.0, width / (6 * rowHeight));
  double power = std::pow(10, std::floor(std::log10(wanted)));
  double step = wanted / power <= 1   ? power
                : wanted / power <= 2 ? 2 * power
                : wanted / power <= 5 ? 5 * power
                                      : 10 * power;
  double minor = step / 5;
  int64_t from = int64_t(std::ceil(std::max(view_.begin, 0.0) / minor));
  for (int64_t i = from; i * minor <= view_.end; ++i) {
    bool major = i % 5 == 0;
    frame_.ticks.push_back(
        {float(pixelAt(i * minor, width)), major ? tickText(i * minor, step, view_.end) : std::string(), major});
  }
}

SliceRef TimelineModel::sliceAt(double x, double y) const {
  for (auto bar = frame_.bars.rbegin(); bar != frame_.bars.rend(); ++bar)
    if (x >= bar->x0 && x < bar->x1 && y >= bar->y0 && y < bar->y1)
      return bar->slice;
  return {};
}

std::optional<RowRecord> TimelineModel::rowAt(double y) const {
  for (const RowRecord &row : frame_.rows)
    if (y >= row.y0 && y < row.y1)
      return row;
  return std::nullopt;
}

void TimelineModel::selectNext(int direction) {
  const core::TraceSlice *current = slice(selected);
  if (!current)
    return;
  const std::vector<int32_t> &lane = lanes_[selected.track][current->depth].slices;
  auto at = std::lower_bound(lane.begin(), lane.end(), selected.slice) - lane.begin() + direction;
  if (at < 0 || at >= std::ptrdiff_t(lane.size()))
    return;
  select({selected.track, lane[at]});
  reveal(selected);
}

void TimelineModel::selectFirst() {
  auto bar = std::ranges::find(frame_.bars, false, &BarRecord::faded);
  if (bar != frame_.bars.end())
    select(bar->slice);
}

void TimelineModel::selectBeside(int direction) {
  const core::TraceSlice *current = slice(selected);
  if (!current)
    return selectFirst();
  double middle = (current->beginNs + current->endNs) / 2;
  auto depth = std::ptrdiff_t(current->depth);
  std::ptrdiff_t at = std::ranges::find(order_, selected.track) - order_.begin();
  for (;;) {
    depth += direction;
    while (depth < 0 || depth >= std::ptrdiff_t(lanes_[size_t(order_[size_t(at)])].size())) {
      at += direction;
      if (at < 0 || at >= std::ptrdiff_t(order_.size()))
        return;
      auto track = size_t(order_[size_t(at)]);
      bool folded = track < rowOf_.size() && rowOf_[track] < 0;
      depth = folded ? -1 : direction > 0 ? 0 : std::ptrdiff_t(lanes_[track].size()) - 1;
    }
    int32_t track = order_[size_t(at)];
    const std::vector<int32_t> &lane = lanes_[size_t(track)][size_t(depth)].slices;
    if (lane.empty())
      continue;
    const auto &slices = trace_->tracks[size_t(track)].slices;
    auto next = std::ranges::partition_point(lane, [&](int32_t s) { return slices[size_t(s)].endNs <= middle; });
    if (next == lane.end() || (next != lane.begin() && slices[size_t(*next)].beginNs - middle >
                                                           middle - slices[size_t(*std::prev(next))].endNs))
      --next;
    select({track, *next});
    return reveal(selected);
  }
}

void TimelineModel::selectMatch(int direction) {
  if (!trace_)
    return;
  // Slices are ordered by their begin, then by track and index.
  using Place = std::pair<double, SliceRef>;
  std::optional<Place> nearest, outermost;
  const core::TraceSlice *current = slice(selected);
  Place from{current ? current->beginNs : 0, selected};
  auto earlier = [&](const Place &a, const Place &b) { return direction > 0 ? a < b : b < a; };
  for (size_t t = 0; t < trace_->tracks.size(); ++t)
    for (size_t s = 0; s < trace_->tracks[t].slices.size(); ++s) {
      const core::TraceSlice &slice = trace_->tracks[t].slices[s];
      if (!filter.matches(slice.name))
        continue;
      Place place{slice.beginNs, {int32_t(t), int32_t(s)}};
      if (!outermost || earlier(place, *outermost))
        outermost = place;
      if (current && earlier(from, place) && (!nearest || earlier(place, *nearest)))
        nearest = place;
    }
  if (const auto &found = nearest ? nearest : outermost) {
    select(found->second);
    reveal(selected);
  }
}

void TimelineModel::focusOn(SliceRef ref) {
  const core::TraceSlice *target = slice(ref);
  if (!target)
    return;
  double begin = beginOf(ref), span = std::max(target->endNs - target->beginNs, kShortestViewNs);
  setView({begin - span, begin + 2 * span});
  for (const Row &row : rows_)
    if (row.track == ref.track)
      scroll_ = row.y - shownHeight_ / 3;
}

void TimelineModel::toggleGroup(int32_t group) {
  if (group < 0 || group >= groupCount())
    return;
  groups_[group].collapsed = !groups_[group].collapsed;
  rowsFor_ = -1;
}

void TimelineModel::collapseAll(bool collapsed) {
  for (Group &group : groups_)
    group.collapsed = collapsed;
  rowsFor_ = -1;
}

bool TimelineModel::isLit(SliceRef ref) const {
  const core::TraceSlice *at = slice(ref);
  return !at || filter.isLit(at->name) || filter.isLit(at->name, detail(ref));
}

void TimelineModel::selectRange(std::optional<TimeRange> range) {
  if (range && range->begin > range->end)
    std::swap(range->begin, range->end);
  range_ = range;
  analyseRange();
}

void TimelineModel::analyseRange() {
  if (!given_)
    return;
  std::optional<core::TraceStretch> within;
  if (range_)
    within = {range_->begin + originNs_, range_->end + originNs_};
  insight_.analyse(within);
}

const core::TraceSlice *TimelineModel::slice(SliceRef ref) const {
  if (!trace_ || ref.track < 0 || size_t(ref.track) >= trace_->tracks.size() || ref.slice < 0 ||
      size_t(ref.slice) >= trace_->tracks[ref.track].slices.size())
    return nullptr;
  return &trace_->tracks[ref.track].slices[ref.slice];
}

uint32_t TimelineModel::blocksAt(int32_t group, double time) const {
  const auto &processes = occupancy().processes;
  auto at = std::ranges::lower_bound(processes, groupPid(group), {}, &core::ProcessTimes::pid);
  if (at == processes.end() || at->pid != groupPid(group))
    return 0;
  auto step = std::ranges::upper_bound(at->steps, time + originNs_, {}, &core::ProcessTimes::Step::ns);
  return step == at->steps.begin() ? 0 : std::prev(step)->blocks;
}

std::vector<std::string> TimelineModel::linkWords(SliceRef ref) const {
  std::vector<std::string> out;
  auto of = [&](const TraceEnd &end) {
    std::string name = trackName(end.track);
    if (const core::TraceSlice *there = slice({end.track, end.slice}))
      name = text("`", core::regionName(*trace_, there->name), "` of ", name);
    return text(name, " at ", timeText(end.ns - originNs_));
  };
  constexpr size_t kMostWords = 6;
  for (uint32_t index : arrowsAt(ref)) {
    if (out.size() == kMostWords)
      break;
    const TraceArrow &arrow = laid_.arrows[index];
    if (arrow.to.track == ref.track && arrow.to.slice == ref.slice)
      out.push_back(text("ended by ", of(arrow.from)));
    else if (arrow.from.track == ref.track && arrow.from.slice == ref.slice)
      out.push_back(text("ends ", of(arrow.to)));
  }
  return out;
}

double TimelineModel::beginOf(SliceRef ref) const {
  const core::TraceSlice *found = slice(ref);
  return found ? found->beginNs - originNs_ : 0;
}

int32_t TimelineModel::trackInOrder(int32_t n) const {
  for (const Group &group : groups_) {
    if (n >= 0 && n < int32_t(group.tracks.size()))
      return group.tracks[size_t(n)];
    n -= int32_t(group.tracks.size());
  }
  return -1;
}

void TimelineModel::reveal(SliceRef ref) {
  const core::TraceSlice *found = slice(ref);
  if (!found)
    return;
  double begin = beginOf(ref), end = found->endNs - originNs_, span = view_.length();
  if (begin < view_.begin || end > view_.end)
    setView({begin - span * 0.1, begin + span * 0.9});
  for (const Row &row : rows_)
    if (row.track == ref.track && (row.y < scroll_ || row.y + row.height > scroll_ + shownHeight_))
      scroll_ = std::clamp(row.y - shownHeight_ / 3, 0.0, std::max(0.0, contentHeight_ - shownHeight_));
}

bool TimelineModel::centreOf(SliceRef ref, double width, Point &at) const {
  const core::TraceSlice *found = slice(ref);
  if (!found)
    return false;
  for (const Row &row : rows_)
    if (row.track == ref.track) {
      at.x = pixelAt((found->beginNs + found->endNs) / 2 - originNs_, width);
      at.y = row.y - scroll_ + (found->depth + 0.5) * rowsFor_;
      return true;
    }
  return false;
}

std::string TimelineModel::trackName(int32_t track) const {
  if (!trace_ || track < 0 || size_t(track) >= trace_->tracks.size())
    return {};
  return core::threadName(trace_->tracks[track]);
}

std::string TimelineModel::describe(SliceRef ref) const {
  const core::TraceSlice *found = slice(ref);
  if (!found)
    return {};
  const core::TraceTrack &track = trace_->tracks[ref.track];
  std::string name = core::regionName(*trace_, found->name);
  if (std::string detail = laid_.detail(ref.track, ref.slice); !detail.empty())
    name += ": " + detail;
  return text(name, "\n", timeText(found->endNs - found->beginNs), "  (", timeText(beginOf(ref)), " to ",
              timeText(found->endNs - originNs_), ")\n", track.processName, ", ", trackName(ref.track));
}

} // namespace lanescope::viz
