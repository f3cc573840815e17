// A kernel trace under a time axis that can be zoomed: the visible rows and slices, and the total cost of each region.
//
//   TimelineModel model;  model.show(trace);
//   model.zoomAt(450, 900, 2);                        // twice as large around pixel 450 of a 900 pixel axis
//   const TimelineFrame &frame = model.compose(900, 600, 18);   // flat records: bars, row labels, ticks
//   model.analysis().regions[0]                       // {"WGMMA", count 16384, total, median, …}
//
// This file does not use Dear ImGui. The slices of each row and nesting depth are sorted and do not overlap. A frame
// finds the first slice by bisection and skips slices that share a pixel. If there are more arrows than a reader can
// distinguish, they are counted but not visited. So the cost of a frame depends on the number of pixels, and not on the
// trace.
#pragma once

#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/profiler/Align.h"
#include "viz/gui/timeline/TimelineFilter.h"
#include "viz/gui/timeline/TimelineNotes.h"
#include "viz/gui/timeline/TraceInsight.h"
#include "viz/gui/timeline/TrackMap.h"
#include "viz/scene/Scene.h"
#include "viz/scene/TraceLanes.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::viz {

struct SliceRef {
  int32_t track = -1;
  int32_t slice = -1; // index in core::TraceTrack::slices
  bool valid() const { return track >= 0; }
  auto operator<=>(const SliceRef &) const = default;
};

/// The warp that made a slice, and the cycle of the model at which it begins.
struct SliceMoment {
  core::WarpRef warp;
  uint64_t cycle = 0;
};

struct DebugTarget;

struct BarRecord {
  float x0, x1, y0, y1; // in canvas pixels, limited to the canvas
  uint32_t name;
  SliceRef slice;
  int32_t merged; // the number of slices in this pixel, which are drawn as one
  bool faded;     // true: the slice does not match the search text
};
struct RowRecord {
  float y0, y1;
  int32_t track; // -1 for a group's heading
  int32_t group;
  bool collapsed;
};
struct TimeTick {
  float x;
  std::string text;
  bool major;
};
/// An arrow between two bars. It leads from the end of the operation that ended a wait to the wait.
struct ArrowRecord {
  float x0, y0, x1, y1; // canvas pixels
  bool lit;             // true: it begins or ends at the hovered or the selected slice
};
/// A stretch of the critical path, or of the selected slice's chain.
struct PathRecord {
  float x0, x1, y; // canvas pixels
  bool flies;      // true: an operation in flight, which is not time of a track
};
/// A slice of the previous trace. It is drawn below the bar with which it is compared.
struct GhostRecord {
  float x0, x1, y0, y1; // canvas pixels, cut to the canvas
  uint32_t name;        // index of a name in the previous trace
  bool matched;         // true: the bar has the slice that corresponds to this one
  float begin;          // in pixels: the begin of the corresponding slice in the current trace
};
/// A label beside the bar that has grown most since the previous trace. It states the reason.
struct CalloutRecord {
  float x0, x1, y0, y1; // the place of the bar
  std::string words;
};
struct NoteRecord {
  float x;
  size_t note; // index in TimelineNotes::all()
};
/// The visible part, relative to the picture of all tracks.
struct OverviewRecord {
  float x0, x1, y0, y1;
};
struct TimelineFrame {
  std::vector<BarRecord> bars;
  std::vector<PathRecord> path; // the latest step comes first
  // For equal steps of the view. Empty until the overlap is known.
  std::vector<core::OverlapShares> overlap;
  std::vector<core::OccupancyBin> occupancy; // for the same steps; empty until it is known
  std::optional<float> tail;                 // in pixels; from here on, some processor has no block left
  std::optional<OverviewRecord> overview;    // set for a trace with many tracks
  std::vector<NoteRecord> notes;
  std::vector<GhostRecord> ghosts;
  std::optional<CalloutRecord> callout;
  std::vector<ArrowRecord> arrows;
  /// The number of arrows that are not drawn because there are too many. The arrows of a slice are drawn when the
  /// pointer is on it. If there are very many arrows, those between rows that are not visible are counted, too.
  int64_t arrowsLeftOut = 0;
  std::vector<RowRecord> rows;
  std::vector<TimeTick> ticks;
};

struct TimeRange {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
};

class TimelineModel {
public:
  // Empty if the trace belongs to the last opened file. Otherwise, the reason why it does not.
  std::string remark;
  std::string title; // "double.py", "matmul.json.gz"

  /// Shows a trace. `file` is the trace's file, beside which notes are kept. Empty if it has no file.
  void show(std::shared_ptr<const core::Trace> trace, std::string file = {});
  /// The trace in the form in which it is drawn: its slices include operations in flight (see TraceLanes.h).
  const core::Trace *trace() const { return trace_.get(); }
  bool empty() const { return sliceCount_ == 0; }
  int64_t sliceCount() const { return sliceCount_; }

  // Times are ns since the first slice.
  TimeRange view() const { return view_; }
  double length() const { return length_; }
  double originNs() const { return originNs_; } // begin of the first slice, in the trace's own time
  void setView(TimeRange range);
  void zoomAt(double pixel, double width, double factor);
  void panPixels(double pixels, double width);
  void scrollBy(double pixels) { scroll_ += pixels; }
  void scrollTo(double pixels) { scroll_ = pixels; }
  double scroll() const { return scroll_; }
  double contentHeight() const { return contentHeight_; }
  void showAll();
  double timeAt(double pixel, double width) const { return view_.begin + pixel / width * view_.length(); }
  double pixelAt(double time, double width) const { return (time - view_.begin) / view_.length() * width; }

  /// Makes a frame. `rowHeight` is the height of one nesting level in pixels.
  const TimelineFrame &compose(double width, double height, double rowHeight);
  /// The slice at a position of the last frame's canvas.
  SliceRef sliceAt(double x, double y) const;
  std::optional<RowRecord> rowAt(double y) const;

  SliceRef hovered, selected;
  void select(SliceRef ref);
  void selectNext(int direction); // goes to the next or the previous slice of the same track and depth
  /// Selects the first bar of the last frame that matches the search.
  void selectFirst();
  /// Goes to the slice at about the same time in the row below (1) or above (-1), which may be another track's.
  void selectBeside(int direction);
  /// Goes to the next or the previous slice, by its begin, whose name matches the search. After the last one, the first
  /// one follows.
  void selectMatch(int direction);
  /// Zooms so that the slice takes a third of the axis, and scrolls to its row.
  void focusOn(SliceRef ref);
  void toggleGroup(int32_t group);
  void collapseAll(bool collapsed);
  /// All tracks in one picture; null if there are few.
  const TrackMap *overview() const { return overview_ ? &*overview_ : nullptr; }
  /// The tracks of a folded group in one row; null if the group is not folded.
  const TrackMap *foldedMap(int32_t group) const;
  /// Moves the view to a place in the picture of all tracks. `x` and `y` are relative to the width and height of that
  /// picture.
  void goToOverview(double x, double y);
  TimelineFilter filter; // the slices that are not dimmed
  bool isLit(SliceRef ref) const;

  void selectRange(std::optional<TimeRange> range);
  const std::optional<TimeRange> &range() const { return range_; }
  /// The analysis of the time spent. If a range is selected, it is for that range.
  const core::TraceAnalysis &analysis() const { return insight_.analysis(); }
  /// The shares of overlap, for the same range.
  const core::OverlapShares &overlapShares() const;
  bool overlapNamed() const { return insight_.overlapNamed(); }
  /// Takes the finished work of other threads. Called once per frame.
  void poll();
  /// True while work on a large trace is in progress.
  bool busy() const { return insight_.busy(); }

  bool showPath = false;      // the critical path of the selected slice's block, or of the whole trace
  bool showOverlap = true;    // shows the graph below the time axis
  bool showOccupancy = false; // shows the graph of blocks on processors, which also appears in the processors' headings
  const core::TraceOccupancy &occupancy() const { return insight_.occupancy(); }
  /// The number of concurrent blocks on a processor, at a time in the trace's own unit and origin.
  uint32_t blocksAt(int32_t group, double time) const;
  /// The reasons why the selected slice took so long, latest first. Empty if the trace gives no reasons.
  const std::vector<core::ChainLink> &chain() const { return chain_; }
  /// The whole path. chain() has its first links.
  const core::CriticalPath &why() const { return why_; }
  /// The slice to which a step of a path belongs.
  SliceRef sliceOf(const core::PathStep &step) const;
  /// The parts of the critical path, longest first. Only while `showPath` is set.
  std::vector<core::PathShare> pathShares() const;
  double pathLength() const;
  double pathUntold() const; // the part of the path that the trace does not explain

  /// True if there is a previous trace to compare with.
  bool canCompare() const { return previous_ != nullptr; }
  const std::string &previousTitle() const { return previousTitle_; }
  void compare(bool on);
  const std::optional<core::TraceComparison> &comparison() const { return insight_.comparison(); }
  /// During a comparison, the previous trace, which is drawn below this one. Null if there is no comparison, or if the
  /// traces have no region in common.
  const core::Trace *ghost() const { return ghost_ ? ghost_->trace.get() : nullptr; }
  /// A bar's words during a comparison: "before: 120 ns, began 300 ns earlier". Empty if there is no comparison.
  std::string beforeWords(SliceRef ref) const;

  TimelineNotes notes;

  /// The source line of a slice: "x.py:12". Empty if the trace does not have it.
  std::string placeOf(SliceRef ref) const;
  /// The line that made the selected slice take long: the line of the operation that ended its wait or, if there is
  /// none, its own line.
  std::string causePlace() const;
  /// The words for a place without a slice: "no regions marked for 120 ns"; empty elsewhere.
  std::string gapWords(double x, double y, double width) const;
  /// Requests the code at the line that made the selected slice take long. If no line is known, requests the beginning
  /// of its region.
  void askForCode();
  // The requested line. The view that shows the line clears this.
  std::string wantedPlace;
  std::string wantedRegion; // or the region whose beginning is requested
  /// The run that the debugger offers; null if there is none. Slices of its trace lead to the debugger.
  std::shared_ptr<const DebugTarget> debugged;
  std::optional<SliceMoment> wantedMoment; // the requested moment; the debugger's view clears it
  /// The moment of that run at which the slice begins. Nothing if the run has no such slice, or if the trace is from a
  /// file.
  std::optional<SliceMoment> moment(SliceRef slice) const;
  /// Requests the debugger at the selected slice. Returns false if the trace is of another run.
  bool askForMoment();

  std::optional<double> mark; // a time to measure from

  const core::TraceSlice *slice(SliceRef ref) const;
  const std::string &groupName(int32_t group) const { return groups_[group].name; }
  /// The number of tracks in a group that spend time. Tracks of operations in flight do not count.
  int32_t groupSize(int32_t group) const { return groups_[group].working; }
  int64_t groupPid(int32_t group) const { return groups_[size_t(group)].pid; }
  int32_t groupCount() const { return int32_t(groups_.size()); }
  std::string trackName(int32_t track) const;
  /// "WGMMA, 12.3 µs to 12.9 µs (0.6 µs)". The next lines give the track and the nesting.
  std::string describe(SliceRef ref) const;
  /// The first few arrows of the slice, with one sentence for each.
  std::vector<std::string> linkWords(SliceRef ref) const;
  /// The facts about an operation in flight: "16384 bytes, x.py:12". Empty for other slices.
  std::string detail(SliceRef ref) const { return laid_.detail(ref.track, ref.slice); }
  double beginOf(SliceRef ref) const;
  /// The n-th track from the top; -1 if there are fewer.
  int32_t trackInOrder(int32_t n) const;
  /// Scrolls and pans until the slice is visible, without zooming.
  void reveal(SliceRef ref);
  /// The canvas position of a slice's middle in the last frame. False if its row is not drawn.
  bool centreOf(SliceRef ref, double width, Point &at) const;

private:
  struct Group {
    std::string name;
    int64_t pid = 0;
    std::vector<int32_t> tracks;
    int32_t working = 0; // number of tracks that do not only have operations in flight
    bool collapsed = false;
    mutable std::optional<TrackMap> map = {}; // made while the group is folded
  };
  /// The slices of a track at one depth, in the order of time.
  struct Lane {
    std::vector<int32_t> slices;
  };
  struct Row {
    double y, height;
    int32_t track, group;
  };
  void layRows(double rowHeight);
  /// Makes a heading for each processor. If a processor has very many tracks, makes one for each of its blocks.
  void layGroups();
  void composeOverview(double height);
  void composeLane(const Row &row, uint32_t depth, double width, double height, double rowHeight);
  void composeGhosts(const Row &row, uint32_t depth, double width, double height, double rowHeight);
  void composeCallout(double width, double height, double rowHeight);
  void layGhost();
  void composeTicks(double width, double rowHeight);
  void composeArrows(double width, double height, double rowHeight);
  void indexArrows();
  /// The indices of the arrows that begin or end at the slice, in ascending order.
  std::vector<uint32_t> arrowsAt(SliceRef ref) const;
  void composePath(double width, double height, double rowHeight);
  const core::CriticalPath &shownPath() const;
  void analyseRange();
  std::optional<uint32_t> givenSlice(SliceRef ref) const;

  // given_: the trace that was passed to show(); trace_: the trace that is drawn
  std::shared_ptr<const core::Trace> given_, trace_;
  double originNs_ = 0, length_ = 0;
  int64_t sliceCount_ = 0;
  TimeRange view_;
  double scroll_ = 0, contentHeight_ = 0, rowsFor_ = -1, shownHeight_ = 0;
  std::vector<Group> groups_;
  std::optional<TrackMap> overview_;
  std::vector<int32_t> order_;           // the tracks from the top
  std::vector<std::vector<Lane>> lanes_; // indexed by track, then depth
  std::vector<Row> rows_;
  std::vector<double> rowOf_; // y of each track's row; negative if the track is folded away
  TraceLanes laid_;
  // Both ends of each arrow, sorted by slice, and the arrow's index in laid_.
  std::vector<std::pair<SliceRef, uint32_t>> arrowEnds_;
  std::optional<TimeRange> range_;
  mutable TraceInsight insight_; // caches its last answers
  core::CriticalPath why_;       // the path of the selected slice
  std::vector<core::ChainLink> chain_;
  SliceRef chainOf_;
  std::vector<SliceRef> flightAt_; // for each flight: its place in the drawn trace
  std::shared_ptr<const core::Trace> previous_;
  std::string previousTitle_;
  /// The previous trace as it is drawn, and how it corresponds to the current one. Set during a comparison.
  struct Ghost : TraceLanes {
    core::TraceAlignment to;
    double originNs = 0;
    std::vector<std::vector<Lane>> lanes; // by track of the current trace, then by depth
    // For each slice in `lanes`: the corresponding slice of the current trace; -1 if there is none.
    std::vector<std::vector<std::vector<int32_t>>> now;
  };
  std::optional<Ghost> ghost_;
  TimelineFrame frame_;
};

} // namespace lanescope::viz
