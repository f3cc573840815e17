// The trace timeline: the time that regions take, zooming, hit testing, and frames whose size does not grow with the
// trace.
#include "core/gpu/kernel/Profile.h"
#include "core/profiler/TraceNotes.h"
#include "layouts/support/Text.h"
#include "tests/unit/TemporaryFolder.h"
#include "viz/gui/timeline/Background.h"
#include "viz/gui/timeline/SliceMoment.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/scene/TraceScene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace lanescope::viz {
namespace {

/// Two SMs. Every 100 ns, each track has a "load" of 30 ns with a nested "wait" of 10 ns, and then a "store" of 20 ns.
std::shared_ptr<const core::Trace> smallTrace(int tracks = 3, int repeats = 2) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"load", "wait", "store"};
  for (int t = 0; t < tracks; ++t) {
    core::TraceTrack track;
    track.pid = 1 + t % 2, track.tid = 1 + t;
    track.processName = "SM " + std::to_string(t % 2);
    track.threadName = "warpgroup " + std::to_string(t);
    for (int i = 0; i < repeats; ++i) {
      double at = 1000 + 100.0 * i;
      track.slices.push_back({0, 0, at, at + 30});
      track.slices.push_back({1, 1, at + 5, at + 15});
      track.slices.push_back({2, 0, at + 40, at + 60});
    }
    trace->tracks.push_back(std::move(track));
  }
  return trace;
}

/// `count` tracks of one processor, two for each block. Track t has its one "load" in the t-th part of the time.
std::shared_ptr<const core::Trace> manyTracks(int count) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"load", "store"};
  for (int t = 0; t < count; ++t) {
    core::TraceTrack track{
        1, 1 + t, "SM 0", "block (" + std::to_string(t / 2) + ", 0, 0) warpgroup " + std::to_string(t % 2), {}};
    track.slices.push_back({0, 0, 100.0 * t, 100.0 * t + 100});
    track.slices.push_back({1, 1, 100.0 * t, 100.0 * t + 90}); // nested, so it is not counted
    trace->tracks.push_back(std::move(track));
  }
  return trace;
}

TEST(Timeline, keysGoFromRowToRow) {
  TimelineModel model;
  model.show(smallTrace(3, 4));
  model.compose(800, 600, 20);
  auto at = [&] {
    const core::TraceSlice *slice = model.slice(model.selected);
    return slice ? text(model.selected.track, ":", int(slice->depth), "@", int(slice->beginNs)) : "none";
  };
  model.selectBeside(1); // with nothing selected, the first slice
  EXPECT_EQ(at(), "0:0@1000");
  model.selectBeside(-1); // there is no row above
  EXPECT_EQ(at(), "0:0@1000");
  model.selectNext(1), model.selectNext(1);
  EXPECT_EQ(at(), "0:0@1100");
  model.selectBeside(1);
  EXPECT_EQ(at(), "0:1@1105");
  model.selectBeside(1); // the next region of the same processor, in the order of the rows
  EXPECT_EQ(at(), "2:0@1100");
  model.toggleGroup(1);
  model.compose(800, 600, 20);
  model.selectBeside(1), model.selectBeside(1); // the other processor is folded
  EXPECT_EQ(at(), "2:1@1105");
  model.selectBeside(-1), model.selectBeside(-1);
  EXPECT_EQ(at(), "0:1@1105");
}

TEST(Timeline, keysGoFromMatchToMatch) {
  TimelineModel model;
  model.show(smallTrace(2, 2));
  model.compose(800, 600, 20);
  model.filter.search("sto");
  std::string order;
  for (int step = 0; step < 5; ++step) {
    model.selectMatch(1);
    order += text(model.selected.track, "@", int(model.slice(model.selected)->beginNs), " ");
  }
  EXPECT_EQ(order, "0@1040 1@1040 0@1140 1@1140 0@1040 ");
  model.selectMatch(-1);
  EXPECT_EQ(model.selected.track, 1);
  model.filter.search("nothing");
  SliceRef before = model.selected;
  model.selectMatch(1);
  EXPECT_EQ(model.selected, before);
  model.compose(800, 600, 20);
  model.selectFirst(); // no bar matches
  EXPECT_EQ(model.selected, before);
}

TEST(Timeline, manyTracksHaveAPictureOfAll) {
  TimelineModel model;
  model.show(smallTrace(64));
  EXPECT_EQ(model.overview(), nullptr);
  auto trace = manyTracks(300);
  model.show(trace);
  ASSERT_TRUE(model.overview());
  const TrackMap &map = *model.overview();
  EXPECT_EQ(map.rows, 48u);
  for (size_t row = 0; row < map.rows; ++row)
    for (size_t column = 0; column < map.columns; ++column) {
      bool there = map.at(row, column) >= 0;
      double middle = (double(column) + 0.5) / double(map.columns) * double(map.rows);
      if (std::abs(middle - double(row) - 0.5) > 0.8)
        EXPECT_FALSE(there) << row << " " << column;
      else if (std::abs(middle - double(row) - 0.5) < 0.3)
        EXPECT_EQ(map.at(row, column), 0) << row << " " << column;
    }
  // A heading for each block, and the visible tracks.
  EXPECT_EQ(model.groupCount(), 150);
  EXPECT_EQ(model.groupName(7), "SM 0, block (7, 0, 0)");
  EXPECT_EQ(model.groupSize(7), 2);
  const TimelineFrame &frame = model.compose(600, 400, 20);
  ASSERT_TRUE(frame.overview);
  EXPECT_EQ(frame.overview->y0, 0);
  EXPECT_LT(frame.overview->y1, 0.1f);
  EXPECT_NEAR(frame.overview->x0, 0, 0.01);
  // A click far down in the overview scrolls there.
  model.setView({0, 3000});
  model.goToOverview(0.5, 0.5);
  model.compose(600, 400, 20);
  EXPECT_NEAR((frame.overview->y0 + frame.overview->y1) / 2, 0.5, 0.03);
  EXPECT_NEAR((frame.overview->x0 + frame.overview->x1) / 2, 0.5, 0.01);
  // A folded block shows its tracks in its heading.
  EXPECT_EQ(model.foldedMap(3), nullptr);
  model.collapseAll(true);
  ASSERT_TRUE(model.foldedMap(3));
  EXPECT_EQ(model.foldedMap(3)->rows, 1u);
  auto columns = std::ranges::count(model.foldedMap(3)->names, 0); // columns of 240 that cover a 150th of the time
  EXPECT_TRUE(columns == 2 || columns == 3) << columns;
  model.goToOverview(0.5, 1);
  model.compose(600, 400, 20);
  EXPECT_NEAR(frame.overview->y1, 1, 0.001);
}

TEST(Timeline, manyTracksOfManyProcessorsStayUnderThem) {
  TimelineModel model;
  model.show(smallTrace(300));
  EXPECT_TRUE(model.overview());
  EXPECT_EQ(model.groupCount(), 2) << "two processors, and tracks that name no block";
}

TEST(Timeline, saysWhereTheTimeWent) {
  TimelineModel model;
  model.show(smallTrace());
  ASSERT_EQ(model.analysis().regions.size(), 3u);
  const core::RegionTimes &load = model.analysis().regions[0];
  EXPECT_EQ(load.name, 0u);
  EXPECT_EQ(load.count, 6u);
  EXPECT_DOUBLE_EQ(load.totalNs, 180);
  EXPECT_DOUBLE_EQ(load.selfNs, 120); // without the nested waits
  EXPECT_DOUBLE_EQ(load.medianNs, 30);
  EXPECT_DOUBLE_EQ(model.length(), 160);
  EXPECT_DOUBLE_EQ(load.share, 120.0 / (3 * 160));
}

TEST(Timeline, aSelectedStretchCountsPartsOfSlices) {
  TimelineModel model;
  model.show(smallTrace());
  model.selectRange(TimeRange{10, 45}); // 20 ns of each first load, 5 ns of its wait, 5 ns of the store
  ASSERT_EQ(model.analysis().regions.size(), 3u);
  EXPECT_DOUBLE_EQ(model.analysis().regions[0].totalNs, 60);
  EXPECT_DOUBLE_EQ(model.analysis().regions[1].totalNs, 15);
  EXPECT_EQ(scopeText(model), "10 ns to 45 ns, 35 ns long");
  model.selectRange(std::nullopt);
  EXPECT_DOUBLE_EQ(model.analysis().regions[0].totalNs, 180);
}

/// The window's table and the text of `trace --summary` present the same numbers.
TEST(Timeline, saysWhatTheSummarySays) {
  for (const char *file : {"emulated_matmul.json.gz", "mosaic_matmul.json.gz"}) {
    std::ifstream in(std::string(LANESCOPE_SOURCE_DIR "/samples/traces/") + file, std::ios::binary);
    auto trace = core::parseGpuTrace(Source::make(file, std::string(std::istreambuf_iterator<char>(in), {})));
    ASSERT_TRUE(trace) << file;
    std::istringstream summary(core::summarize(*trace));
    std::string line;
    std::vector<std::vector<std::string>> lines; // lines of cells, which two spaces separate
    while (std::getline(summary, line)) {
      std::vector<std::string> &cells = lines.emplace_back();
      for (size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string::npos;) {
        size_t end = std::min(line.find("  ", at), line.size());
        cells.push_back(line.substr(at, end - at));
        at = end;
      }
    }
    TimelineModel model;
    model.show(std::make_shared<const core::Trace>(*trace));
    EXPECT_EQ(lines[0][0].substr(0, lines[0][0].find(' ')), scopeText(model).substr(0, scopeText(model).find(' ')));
    size_t first = 0; // the line of the table's first region
    while (lines[first].empty() || lines[first][0] != "region")
      ++first;
    const std::vector<std::string> head = lines[first++];
    std::vector<StatisticsRow> rows = statisticsRows(model);
    ASSERT_GT(rows.size(), 4u);
    for (size_t i = 0; i < rows.size() && rows[i].cells[3] != "in flight"; ++i) {
      const std::vector<std::string> &said = lines[first + i];
      EXPECT_EQ(said[0], core::regionName(*trace, rows[i].name));
      EXPECT_EQ(said[1], rows[i].cells[0]);
      EXPECT_EQ(timeText(1000 * std::stod(said[2])), rows[i].cells[1]);
      size_t median = size_t(std::ranges::find(head, "median ns") - head.begin());
      EXPECT_NEAR(std::stod(said[median]), model.analysis().regions[i].medianNs, 0.5);
      EXPECT_EQ(said.back(), rows[i].cells[3]) << said[0] << " of " << file;
    }
    std::string waiting = statisticsRemarks(model).back();
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const auto &cells) {
      return !cells.empty() && cells[0].starts_with(waiting);
    })) << waiting;
  }
}

TEST(Timeline, zoomKeepsTheTimeUnderThePointer) {
  TimelineModel model;
  model.show(smallTrace());
  double before = model.timeAt(250, 1000);
  model.zoomAt(250, 1000, 4);
  EXPECT_NEAR(model.timeAt(250, 1000), before, 1e-9);
  for (int i = 0; i < 200; ++i)
    model.zoomAt(250, 1000, 2);
  EXPECT_GE(model.view().length(), 0.99);
  for (int i = 0; i < 400; ++i)
    model.zoomAt(250, 1000, 0.5);
  EXPECT_LE(model.view().length(), model.length() * 1.21);
}

TEST(Timeline, panningStopsNearTheEnds) {
  TimelineModel model;
  model.show(smallTrace());
  model.zoomAt(500, 1000, 10);
  model.panPixels(1e9, 1000);
  EXPECT_LT(model.view().begin, model.length());
  EXPECT_GT(model.view().end, 0);
}

TEST(Timeline, hitsFindTheInnermostSlice) {
  TimelineModel model;
  model.show(smallTrace());
  model.compose(1000, 600, 20);
  SliceRef wait{model.trackInOrder(0), 1};
  Point at;
  ASSERT_TRUE(model.centreOf(wait, 1000, at));
  EXPECT_EQ(model.sliceAt(at.x, at.y), wait);
  EXPECT_EQ(model.sliceAt(at.x, at.y - 20), (SliceRef{wait.track, 0})); // the load around it, one row up
  EXPECT_FALSE(model.sliceAt(-5, at.y).valid());
  EXPECT_NE(model.describe(wait).find("wait"), std::string::npos);
  EXPECT_NE(model.describe(wait).find("10 ns"), std::string::npos);
}

TEST(Timeline, tracksAreGroupedBySm) {
  TimelineModel model;
  model.show(smallTrace(5));
  EXPECT_EQ(model.groupCount(), 2);
  EXPECT_EQ(model.groupSize(0), 3);
  size_t rows = model.compose(1000, 600, 20).rows.size();
  EXPECT_EQ(rows, 7u);
  model.toggleGroup(0);
  EXPECT_EQ(model.compose(1000, 600, 20).rows.size(), 4u);
  model.collapseAll(true);
  EXPECT_EQ(model.compose(1000, 600, 20).rows.size(), 2u);
  model.toggleGroup(-1);
  model.toggleGroup(99);
}

TEST(Timeline, nextAndPreviousStayOnTheirRow) {
  TimelineModel model;
  model.show(smallTrace(1, 3));
  model.selected = {0, 0};
  model.selectNext(1);
  EXPECT_EQ(model.selected.slice, 2); // the store; the wait is one level deeper
  model.selectNext(-1);
  model.selectNext(-1);
  EXPECT_EQ(model.selected.slice, 0);
}

TEST(Timeline, searchKeepsMatchingNames) {
  TimelineModel model;
  model.show(smallTrace());
  model.filter.search("LOA");
  EXPECT_TRUE(model.filter.matches(0));
  EXPECT_FALSE(model.filter.matches(2));
  for (const BarRecord &bar : model.compose(1000, 600, 20).bars)
    EXPECT_EQ(bar.faded, bar.name != 0);
}

TEST(Timeline, aMillionSlicesCostNoMoreThanThePixels) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"a", "b"};
  for (int t = 0; t < 100; ++t) {
    core::TraceTrack track;
    track.pid = track.tid = t;
    for (uint32_t i = 0; i < 10000; ++i)
      track.slices.push_back({i % 2, 0, i * 10.0, i * 10.0 + 9});
    trace->tracks.push_back(std::move(track));
  }
  TimelineModel model;
  model.show(trace);
  const TimelineFrame &frame = model.compose(1000, 600, 20);
  EXPECT_LE(frame.bars.size(), 30u * 1001);
  EXPECT_GT(frame.bars.size(), 1000u);
}

/// Two tracks with waits; a third track with four copies, of which at most two are in flight at once, and two wgmmas;
/// arrows to the waits.
std::shared_ptr<const core::Trace> flyingTrace() {
  auto trace = std::make_shared<core::Trace>(*smallTrace(2, 4));
  trace->names.insert(trace->names.end(), {"TMA load", "wgmma"});
  trace->tracks.push_back({1, 9, "SM 0", "in flight", {}});
  for (int i = 0; i < 4; ++i) {
    double at = 1000 + 100.0 * i;
    trace->flights.push_back({3, 1, 9, at - 60, at + 60, "64 bytes"});
    trace->flows.push_back({1, {1, 9, at + 14}, {1, 1, at + 14}});
  }
  for (int i = 0; i < 2; ++i)
    trace->flights.push_back({4, 1, 9, 1100.0 + 10 * i, 1110.0 + 10 * i, ""});
  return trace;
}

TEST(Timeline, whatIsInFlightHasLanesOfItsOwn) {
  TimelineModel model;
  model.show(flyingTrace());
  EXPECT_EQ(model.sliceCount(), 24 + 6);
  EXPECT_EQ(model.groupSize(0) + model.groupSize(1), 2); // no thread spends time on the track of operations in flight
  EXPECT_EQ(model.analysis().slices, 24u);
  EXPECT_EQ(statisticsRows(model).back().cells[3], "in flight");
  const core::TraceTrack &flying = model.trace()->tracks[2];
  ASSERT_EQ(flying.slices.size(), 6u);
  for (size_t a = 0; a < flying.slices.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      EXPECT_TRUE(flying.slices[a].depth != flying.slices[b].depth ||
                  flying.slices[a].beginNs >= flying.slices[b].endNs ||
                  flying.slices[b].beginNs >= flying.slices[a].endNs);
  for (const core::TraceSlice &slice : flying.slices)
    EXPECT_EQ(slice.depth >= 2, slice.name == 4); // two lanes of copies, then one of wgmmas
  const TimelineFrame &frame = model.compose(1000, 600, 20);
  EXPECT_EQ(frame.bars.size(), 30u);
  EXPECT_EQ(model.detail({2, 0}), "64 bytes");
  EXPECT_EQ(model.detail({0, 0}), "");
  EXPECT_NE(model.describe({2, 0}).find("TMA load: 64 bytes"), std::string::npos);
}

TEST(Timeline, arrowsJoinSlices) {
  TimelineModel model;
  model.show(flyingTrace());
  const TimelineFrame *frame = &model.compose(1000, 600, 20);
  ASSERT_EQ(frame->arrows.size(), 4u);
  for (const ArrowRecord &arrow : frame->arrows) {
    EXPECT_FALSE(arrow.lit);
    EXPECT_FLOAT_EQ(arrow.x0, arrow.x1);
    // The arrow ends in the wait, one level down in the first track.
    SliceRef at = model.sliceAt(arrow.x1, arrow.y1);
    ASSERT_TRUE(at.valid());
    EXPECT_EQ(at.track, 0);
    EXPECT_EQ(model.slice(at)->name, 1u);
  }
  model.selected = {0, 1};
  ASSERT_EQ(model.slice(model.selected)->name, 1u);
  EXPECT_EQ(model.linkWords(model.selected).size(), 1u);
  frame = &model.compose(1000, 600, 20);
  EXPECT_TRUE(frame->arrows[0].lit);
  EXPECT_FALSE(frame->arrows[1].lit);
  model.collapseAll(true); // without rows there are no arrows
  EXPECT_TRUE(model.compose(1000, 600, 20).arrows.empty());
}

TEST(Timeline, aTangleOfArrowsGivesWayToThoseOfASlice) {
  auto trace = std::make_shared<core::Trace>(*smallTrace(2, 2000));
  for (int i = 0; i < 2000; ++i)
    trace->flows.push_back({1, {1, 1, 1000.0 + 100 * i}, {2, 2, 1010.0 + 100 * i}});
  trace->flows.push_back({1, {7, 7, 0}, {1, 1, 1000}}); // an arrow from a track that does not exist
  TimelineModel model;
  model.show(trace);
  EXPECT_EQ(model.compose(1000, 600, 20).arrows.size(), 0u);
  EXPECT_EQ(model.compose(1000, 600, 20).arrowsLeftOut, 2000);
  model.selected = {0, 0};
  EXPECT_EQ(model.compose(1000, 600, 20).arrows.size(), 1u);
  model.setView({500, 700});
  EXPECT_EQ(model.compose(1000, 600, 20).arrowsLeftOut, 0);
  EXPECT_EQ(model.compose(1000, 600, 20).arrows.size(), 2u);
}

/// With very many arrows, only those of a selected slice are visited.
TEST(Timeline, arrowsWithoutNumberAreCounted) {
  constexpr int kMany = 30'000;
  auto trace = std::make_shared<core::Trace>(*smallTrace(2, kMany));
  for (int i = 0; i < kMany; ++i)
    trace->flows.push_back({1, {1, 1, 1000.0 + 100 * i}, {2, 2, 1010.0 + 100 * i}});
  TimelineModel model;
  model.show(trace);
  EXPECT_EQ(model.compose(1000, 600, 20).arrows.size(), 0u);
  EXPECT_EQ(model.compose(1000, 600, 20).arrowsLeftOut, kMany);
  model.selected = {0, 0};
  model.hovered = {0, 0};
  ASSERT_EQ(model.compose(1000, 600, 20).arrows.size(), 1u); // once, although the slice is both selected and hovered
  EXPECT_TRUE(model.compose(1000, 600, 20).arrows[0].lit);
  EXPECT_EQ(model.compose(1000, 600, 20).arrowsLeftOut, kMany - 1);
  EXPECT_EQ(model.linkWords(model.selected).size(), 1u);
  model.setView({0, 1000}); // few arrows are in view again
  EXPECT_GT(model.compose(1000, 600, 20).arrows.size(), 5u);
  EXPECT_EQ(model.compose(1000, 600, 20).arrowsLeftOut, 0);
  model.setView({500'000, 2'600'000}); // where the slice's arrow is not
  EXPECT_EQ(model.compose(1000, 600, 20).arrows.size(), 0u);
}

TEST(Timeline, emptyAndMissingTraces) {
  TimelineModel model;
  EXPECT_TRUE(model.empty());
  EXPECT_TRUE(model.compose(800, 600, 20).bars.empty());
  model.show(nullptr);
  model.show(std::make_shared<core::Trace>());
  EXPECT_TRUE(model.empty());
  model.zoomAt(3, 800, 2);
  model.compose(800, 600, 20);
  model.selectNext(1);
  model.focusOn({});
  EXPECT_EQ(model.describe({4, 4}), "");
  EXPECT_EQ(model.trackInOrder(0), -1);
}

/// A wait for a copy that another warpgroup issued; the slices have lines.
std::shared_ptr<const core::Trace> causedTrace() {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"mbarrier wait", "prepare", "TMA load", "arrive"};
  trace->places = {"", "x.py:3", "x.py:9"};
  trace->tracks = {
      {1, 1, "SM 0", "block (0, 0, 0) warpgroup 0", {{1, 0, 0, 90}, {0, 0, 100, 900, 1}, {1, 0, 950, 1000}}},
      {1, 2, "SM 0", "block (0, 0, 0) warpgroup 1", {{1, 0, 50, 300}}},
      {1, 3, "SM 0", "block (0, 0, 0) in flight", {{3, 0, 880, 892}}}};
  trace->flights = {{2, 1, 3, 300, 880, "4096 bytes, x.py:9", core::TracePoint{1, 2, 300}, 2}};
  trace->flows = {{0, {1, 3, 880}, {1, 1, 899}, 0}};
  return trace;
}

TEST(Timeline, aSelectedWaitTellsItsChain) {
  TimelineModel model;
  model.show(causedTrace());
  model.select({0, 1});
  std::vector<std::string> words = chainWords(model);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[1], "580 ns, 72.5 %:  `TMA load`, 4096 bytes, x.py:9, was in flight");
  EXPECT_EQ(words[2], "250 ns, 25.0 %:  block (0, 0, 0) warpgroup 1 ran in `prepare` before it issued that");
  EXPECT_EQ(model.placeOf(model.selected), "x.py:3");
  EXPECT_EQ(model.causePlace(), "x.py:9");
  // A link selects its subject: the copy's bar on the track of operations in flight.
  SliceRef copy = model.sliceOf(model.chain()[1].step);
  EXPECT_EQ(copy.track, 2);
  EXPECT_EQ(model.detail(copy), "4096 bytes, x.py:9");
  EXPECT_EQ(model.placeOf(copy), "x.py:9");
  // The parts of the path are drawn on the waiter's row, on the copy's bar and on the issuer's row.
  const TimelineFrame &frame = model.compose(1000, 600, 20);
  ASSERT_EQ(frame.path.size(), 3u);
  EXPECT_TRUE(frame.path[1].flies);
  EXPECT_NE(frame.path[0].y, frame.path[1].y);
  // A selected operation in flight has the chain of events that led to its issue.
  model.select(copy);
  ASSERT_FALSE(model.chain().empty());
  EXPECT_NE(chainWords(model)[0].find("ran in `prepare`"), std::string::npos);
}

TEST(Timeline, theCriticalPathIsAllOfTheTime) {
  TimelineModel model;
  model.show(causedTrace());
  EXPECT_TRUE(pathWords(model).empty());
  model.showPath = true;
  EXPECT_EQ(model.pathLength(), 1000);
  double sum = 0;
  for (const core::PathShare &share : model.pathShares())
    sum += share.ns;
  EXPECT_EQ(sum, 1000);
  EXPECT_EQ(pathWords(model)[0], "58.0 %  580 ns  `TMA load`, x.py:9 in flight");
  EXPECT_GE(model.compose(1000, 600, 20).path.size(), 4u);
}

TEST(Timeline, overlapIsDrawnForTheView) {
  TimelineModel model;
  model.show(causedTrace());
  model.setView({400, 800});
  const TimelineFrame &frame = model.compose(1000, 600, 20);
  ASSERT_EQ(frame.overlap.size(), 500u);
  // Warpgroup 1 has ended, and the other warpgroup waits for the copy.
  EXPECT_NEAR(frame.overlap[250][core::OverlapState::CopiesWhileWaiting], 1, 1e-9);
  EXPECT_NEAR(model.overlapShares()[core::OverlapState::CopiesWhileWaiting], 0.58, 1e-9);
  model.selectRange(TimeRange{900, 1000});
  EXPECT_NEAR(model.overlapShares()[core::OverlapState::Running], 1, 1e-9);
  model.showOverlap = false;
  EXPECT_TRUE(model.compose(1000, 600, 20).overlap.empty());
}

TEST(Timeline, blocksOnProcessorsOverTimeAndTheTail) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"a"};
  trace->tracks = {{1, 1, "SM 0", "block (0, 0, 0) warpgroup 0", {{0, 0, 1000, 1100}}},
                   {2, 2, "SM 1", "block (1, 0, 0) warpgroup 0", {{0, 0, 1000, 1050}}},
                   {2, 3, "SM 1", "block (2, 0, 0) warpgroup 0", {{0, 0, 1020, 1050}}}};
  TimelineModel model;
  model.show(trace);
  EXPECT_TRUE(model.compose(200, 100, 10).occupancy.empty()); // occupancy was not requested
  model.showOccupancy = true;
  model.setView({0, 100});
  const TimelineFrame &frame = model.compose(200, 100, 10);
  ASSERT_EQ(frame.occupancy.size(), 100u);
  EXPECT_EQ(frame.occupancy[10][1], 1);
  EXPECT_EQ(frame.occupancy[30][2], 0.5);
  EXPECT_EQ(frame.occupancy[80][0], 0.5);
  ASSERT_TRUE(frame.tail);
  EXPECT_NEAR(*frame.tail, 100, 1);
  EXPECT_EQ(model.blocksAt(1, 30), 2u);
  EXPECT_EQ(model.blocksAt(1, 60), 0u);
  EXPECT_EQ(occupancyAt(model, 30), "30 ns: 2 of 2 processors have a block, 3 blocks in all");
  EXPECT_EQ(occupancyWords(model).size(), 2u);
  model.selectRange(TimeRange{0, 50});
  EXPECT_EQ(occupancyWords(model).back(), "in the selected stretch: 70.0 % with 1 block, 30.0 % with 2 blocks");
}

TEST(Timeline, timeWithoutRegionsHasAName) {
  TimelineModel model;
  model.show(causedTrace());
  model.setView({0, 1000});
  model.compose(1000, 600, 20);
  double y = 0;
  for (const RowRecord &row : model.compose(1000, 600, 20).rows)
    if (row.track == 0)
      y = row.y0 + 5;
  EXPECT_EQ(model.gapWords(925, y, 1000), "no regions marked for 50 ns  (900 ns to 950 ns)");
  EXPECT_EQ(model.gapWords(500, y, 1000), "");
  EXPECT_EQ(model.gapWords(-10, y, 1000), "no regions marked: before the track's first mark");
}

TEST(Timeline, ticksNeverRepeatALabel) {
  TimelineModel model;
  model.show(smallTrace(1, 20000)); // 2 ms
  double length = model.length();
  for (double span = length; span > 2; span /= 1.37)
    for (double begin : {0.0, length * 0.3, length - span})
      for (double rowHeight : {20.0, 30.0}) {
        model.setView({begin, begin + span});
        std::vector<std::string> labels;
        float last = -1000;
        for (const TimeTick &tick : model.compose(900, 300, rowHeight).ticks)
          if (tick.major) {
            EXPECT_EQ(std::ranges::find(labels, tick.text), labels.end())
                << tick.text << " at " << begin << ", " << span;
            EXPECT_GT(tick.x - last, 2 * rowHeight); // room for the previous text
            labels.push_back(tick.text);
            last = tick.x;
          }
      }
}

TEST(Timeline, comparesWithTheTraceBefore) {
  TimelineModel model;
  model.show(smallTrace(2, 2));
  model.title = "first";
  EXPECT_FALSE(model.canCompare());
  auto slower = std::make_shared<core::Trace>(*smallTrace(2, 2));
  slower->tracks[0].slices.back().endNs += 40, slower->tracks[1].slices.back().endNs += 40;
  model.show(slower);
  ASSERT_TRUE(model.canCompare());
  EXPECT_EQ(model.previousTitle(), "first");
  model.compare(true);
  ASSERT_TRUE(model.comparison());
  EXPECT_EQ(comparisonWords(model)[1], "`store` grew most: 40 ns to 80 ns per track.");
  const TimelineFrame &frame = model.compose(1000, 400, 20);
  ASSERT_TRUE(model.ghost());
  EXPECT_EQ(frame.ghosts.size(), frame.bars.size()) << "the trace before has a strip for each bar";
  for (const GhostRecord &ghost : frame.ghosts) {
    EXPECT_TRUE(ghost.matched);
    EXPECT_NEAR(ghost.begin, ghost.x0, 0.01) << "no region begins elsewhere";
  }
  int32_t last = int32_t(slower->tracks[0].slices.size()) - 1;
  EXPECT_EQ(model.beforeWords({0, last}), "before: 20 ns, began at the same time");
  model.compare(false);
  EXPECT_TRUE(model.compose(1000, 400, 20).ghosts.empty());
  EXPECT_EQ(model.beforeWords({0, last}), "");
  EXPECT_FALSE(model.comparison());
}

TEST(Timeline, notesAreKeptBesideTheFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "timeline.json";
  TimelineModel model;
  model.show(smallTrace(), file);
  model.notes.add(50, "later");
  model.notes.add(10, "first");
  EXPECT_EQ(model.notes.problem(), "");
  ASSERT_EQ(model.notes.all().size(), 2u);
  EXPECT_EQ(model.notes.time(0), 10);
  model.setView({0, 100});
  EXPECT_EQ(model.compose(1000, 300, 20).notes.size(), 2u);
  core::Trace again = *smallTrace();
  ASSERT_TRUE(core::addNotes(again, file));
  EXPECT_EQ(again.notes, model.notes.all());
  model.notes.remove(0), model.notes.remove(0);
  EXPECT_FALSE(std::filesystem::exists(core::notesPath(file)));
  model.show(smallTrace()); // the trace of a run, which has no file
  model.notes.add(50, "x");
  EXPECT_NE(model.notes.problem().find("of no file"), std::string::npos);
}

TEST(Timeline, aDroppedRequestGivesNoAnswer) {
  Background<int> work;
  auto answers = [&] {
    std::vector<int> out;
    while (work.busy())
      if (auto done = work.take())
        out.push_back(*done);
    return out;
  };
  work.ask([] { return 1; });
  work.drop();
  EXPECT_EQ(answers(), std::vector<int>());
  work.ask([] { return 2; });
  EXPECT_EQ(answers(), std::vector{2}) << "a request after the drop is answered";
  work.ask([] { return 3; });
  work.drop();
  work.ask([] { return 4; });
  EXPECT_EQ(answers(), std::vector{4});
  work.drop();
  work.ask([] { return 5; });
  EXPECT_EQ(answers(), std::vector{5});
}

/// A slice of a run that the debugger offers: which warp of which device made it, and when.
TEST(Timeline, slicesLeadToTheDebugger) {
  auto target = std::make_shared<DebugTarget>();
  target->launch.grid = {3, 2, 1};
  target->launch.block = {256, 1, 1};
  target->launch.devices = 2;
  target->profile = {.names = {"load"}, .entriesPerTrace = 64, .tracesPerBlock = 2, .threadsPerTrace = 128};
  auto trace = std::make_shared<core::Trace>();
  trace->emulated = true;
  trace->names = {"load", "in flight"};
  double begin = double(core::kEmulatedStart);
  // Block (2, 1) of device 1 is number 5 of the tracks' blocks and of the debugger's; its second warpgroup.
  trace->tracks.push_back({1003, 1 + 5 * 2 + 1, "SM 2", "warpgroup", {{0, 0, begin + 700, begin + 800}}});
  trace->tracks.push_back({1003, 1 + 1 * 2, "SM 2", "warpgroup", {{0, 0, begin + 90, begin + 95}}}); // block (0, 1)
  trace->tracks.push_back({1003, 1, "SM 2", "flights", {{1, 0, begin + 90, begin + 95}}});
  trace->tracks.push_back({2001, 1, "links", "a third device", {{0, 0, begin + 90, begin + 95}}});
  auto there = momentOf(*target, *trace, {0, 0});
  ASSERT_TRUE(there);
  EXPECT_EQ(there->warp, (core::WarpRef{6 + 5, 4}));
  EXPECT_EQ(there->cycle, 700u);
  ASSERT_TRUE(momentOf(*target, *trace, {1, 0}));
  EXPECT_EQ(momentOf(*target, *trace, {1, 0})->warp, (core::WarpRef{6 + 3, 0}));
  EXPECT_FALSE(momentOf(*target, *trace, {2, 0}));
  EXPECT_FALSE(momentOf(*target, *trace, {3, 0}));
  TimelineModel model;
  model.show(trace);
  model.select({0, 0});
  EXPECT_FALSE(model.askForMoment());
  model.debugged = target;
  EXPECT_TRUE(model.askForMoment());
  EXPECT_EQ(model.wantedMoment->warp.block, 11u);
  model.show(trace);
  model.select({0, 0});
  EXPECT_TRUE(model.moment({0, 0})) << "another trace of the same run";
  model.show(trace, "double.json");
  EXPECT_FALSE(model.moment({0, 0})) << "a file's trace may be of any run";
  trace->emulated = false; // recorded on GPUs
  EXPECT_FALSE(momentOf(*target, *trace, {0, 0}));
}

/// The results of another thread arrive later, and are the same.
TEST(Timeline, largeTracesAreExplainedLater) {
  TimelineModel model;
  model.show(smallTrace(10, 8000)); // 240 000 slices
  for (int i = 0; i < 2000 && model.busy(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    model.poll();
  }
  ASSERT_FALSE(model.busy());
  EXPECT_EQ(model.analysis().slices, 240000u);
  model.select({0, 1}); // a wait whose cause is not known
  ASSERT_FALSE(model.chain().empty());
  EXPECT_EQ(model.chain()[0].step.kind, core::PathStep::Kind::Wait);
  double sum = 0;
  for (double share : model.overlapShares().of)
    sum += share;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_FALSE(model.compose(1000, 300, 20).overlap.empty());
}

} // namespace
} // namespace lanescope::viz
