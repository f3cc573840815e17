// A kernel trace under a zoomable time axis: which rows are in sight, which slices, and what regions cost in total.
//
//   TimelineModel model;  model.show(trace);
//   model.zoomAt(450, 900, 2);                        // twice as large around pixel 450 of a 900 pixel axis
//   const TimelineFrame &frame = model.compose(900, 600, 18);   // flat records: bars, row labels, ticks
//   model.analysis().regions[0]                       // {"WGMMA", count 16384, total, median, …}
//
// No Dear ImGui in here. Per row and nesting depth the slices are sorted and do not overlap, so a frame finds the first
// one by bisection and skips those that share a pixel; arrows beyond what anyone can tell apart are counted, not
// visited: its cost depends on the pixels, not on the trace.
#pragma once

#include "core/profiler/Align.h"
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
  int32_t slice = -1; // in core::TraceTrack::slices
  bool valid() const { return track >= 0; }
  auto operator<=>(const SliceRef &) const = default;
};

struct BarRecord {
  float x0, x1, y0, y1; // canvas pixels, cut to the canvas
  uint32_t name;
  SliceRef slice;
  int32_t merged; // slices in this pixel; more than 1: drawn as one
  bool faded;     // does not match the search text
};
struct RowRecord {
  float y0, y1;
  int32_t track; // -1: heading of a process
  int32_t group;
  bool collapsed;
};
struct TimeTick {
  float x;
  std::string text;
  bool major;
};
/// An arrow between two bars, from what ended a wait to the wait.
struct ArrowRecord {
  float x0, y0, x1, y1; // canvas pixels
  bool lit;             // begins or ends at the slice under the pointer or the selected one
};
/// A stretch of the critical path, or of the selected slice's chain.
struct PathRecord {
  float x0, x1, y; // canvas pixels
  bool flies;      // in flight: no one's own time
};
/// A slice of the trace before, under the bar that it is compared with.
struct GhostRecord {
  float x0, x1, y0, y1; // canvas pixels, cut to the canvas
  uint32_t name;        // in the trace before
  bool matched;         // the bar has a slice that is the same one
  float begin;          // pixels: where that one begins now
};
/// A label beside the bar that grew most since the earlier trace; it says why.
struct CalloutRecord {
  float x0, x1, y0, y1; // the bar
  std::string words;
};
struct NoteRecord {
  float x;
  size_t note; // in TimelineModel::notes()
};
/// What is in sight, as shares of the picture of all tracks.
struct OverviewRecord {
  float x0, x1, y0, y1;
};
struct TimelineFrame {
  std::vector<BarRecord> bars;
  std::vector<PathRecord> path;              // latest first
  std::vector<core::OverlapShares> overlap;  // equal steps of the view; empty: it is not known yet
  std::vector<core::OccupancyBin> occupancy; // likewise
  std::optional<float> tail;                 // pixels: where the first processor is done for good
  std::optional<OverviewRecord> overview;    // of a trace with many tracks
  std::vector<NoteRecord> notes;
  std::vector<GhostRecord> ghosts;
  std::optional<CalloutRecord> callout;
  std::vector<ArrowRecord> arrows;
  /// Too many to tell apart: those of a slice appear under the pointer. Of very many, those of rows out of sight count.
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
  std::string remark; // why it is not of the file that was opened last; empty: it is
  std::string title;  // "double.py", "matmul.json.gz"

  /// `file`: where it was read from, so that notes can be kept beside it; empty: nowhere.
  void show(std::shared_ptr<const core::Trace> trace, std::string file = {});
  /// The trace as it is drawn: what is in flight is among the slices (see TraceLanes.h).
  const core::Trace *trace() const { return trace_.get(); }
  bool empty() const { return sliceCount_ == 0; }
  int64_t sliceCount() const { return sliceCount_; }

  // Times are ns since the first slice.
  TimeRange view() const { return view_; }
  double length() const { return length_; }
  double originNs() const { return originNs_; } // of the first slice, in the trace's own time
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

  /// `rowHeight`: pixels of one nesting level.
  const TimelineFrame &compose(double width, double height, double rowHeight);
  /// The slice drawn at a canvas position of the last frame.
  SliceRef sliceAt(double x, double y) const;
  std::optional<RowRecord> rowAt(double y) const;

  SliceRef hovered, selected;
  void select(SliceRef ref);
  void selectNext(int direction); // the next or previous slice of the same track and depth
  /// Zooms so that the slice fills a third of the axis, and scrolls to its row.
  void focusOn(SliceRef ref);
  void toggleGroup(int32_t group);
  void collapseAll(bool collapsed);
  /// All tracks in one picture; null: they are few.
  const TrackMap *overview() const { return overview_ ? &*overview_ : nullptr; }
  /// The tracks of a group that is folded, in one row; null: it is not folded.
  const TrackMap *foldedMap(int32_t group) const;
  /// Moves the view to a place of the picture of all tracks, in shares of its width and height.
  void goToOverview(double x, double y);
  /// Only names that contain the text stay bright. Empty: all.
  void search(std::string text);
  const std::string &searchText() const { return searchText_; }
  /// Only slices of these regions, and what is in flight of these places ("x.py:12"), stay bright. Neither: all.
  void light(const std::vector<std::string> &regions, std::vector<std::string> places);
  bool lights() const { return !litNames_.empty(); }
  bool isLit(SliceRef ref) const;
  bool matches(uint32_t name) const { return name >= nameMatches_.size() || nameMatches_[name]; }

  void selectRange(std::optional<TimeRange> range);
  const std::optional<TimeRange> &range() const { return range_; }
  /// Where the time went; of the selected range when there is one.
  const core::TraceAnalysis &analysis() const { return insight_.analysis(); }
  /// What overlapped there.
  const core::OverlapShares &overlapShares() const;
  bool overlapNamed() const { return insight_.overlapNamed(); }
  /// Takes what was worked out beside the window's thread; once a frame.
  void poll();
  /// Something of a large trace is still being worked out.
  bool busy() const { return insight_.busy(); }

  bool showPath = false;      // the critical path: of the selected slice's block, or of all
  bool showOverlap = true;    // the graph under the time axis
  bool showOccupancy = false; // and the one of blocks on processors, also in the processors' headings
  const core::TraceOccupancy &occupancy() const { return insight_.occupancy(); }
  /// Blocks at once on a processor, at a time of its own trace; 0 where none are.
  uint32_t blocksAt(int32_t group, double time) const;
  /// Why the selected slice took as long as it did, latest first; empty where nothing tells.
  const std::vector<core::ChainLink> &chain() const { return chain_; }
  /// The whole of it, of which chain() has the first links.
  const core::CriticalPath &why() const { return why_; }
  /// What a link of it is about.
  SliceRef sliceOf(const core::PathStep &step) const;
  /// The critical path's parts, longest first, while `showPath`.
  std::vector<core::PathShare> pathShares() const;
  double pathLength() const;
  double pathUntold() const; // of it, what the trace does not explain

  /// The trace that was shown before, to compare with.
  bool canCompare() const { return previous_ != nullptr; }
  const std::string &previousTitle() const { return previousTitle_; }
  void compare(bool on);
  const std::optional<core::TraceComparison> &comparison() const { return insight_.comparison(); }
  /// The trace before as it is drawn under this one while they are compared; null: it is not, as they share no region.
  const core::Trace *ghost() const { return ghost_ ? ghost_->trace.get() : nullptr; }
  /// A bar's words while two traces are compared: "before: 120 ns, began 300 ns earlier"; empty where nothing matches.
  std::string beforeWords(SliceRef ref) const;

  const std::vector<core::TraceNote> &notes() const { return notes_; }
  double noteTime(size_t note) const { return notes_[note].ns - originNs_; }
  /// Saves at once; `problem()` says what went wrong.
  void addNote(double time, std::string text);
  void removeNote(size_t note);
  const std::string &noteProblem() const { return noteProblem_; }
  std::optional<double> noteAt; // a note is being written for this moment
  std::string noteText;

  /// Line of the source that a slice belongs to: "x.py:12"; empty where the trace does not tell.
  std::string placeOf(SliceRef ref) const;
  /// The line that made the selected slice take long: of what ended its wait, else its own.
  std::string causePlace() const;
  /// What is where no slice is: "no regions marked, 120 ns"; empty elsewhere.
  std::string gapWords(double x, double y, double width) const;
  /// Asks for the line that made the selected slice take long; for where its region begins, where no line is known.
  void askForCode();
  std::string wantedPlace;  // somebody asked for that line; whoever shows it clears this
  std::string wantedRegion; // or for the begin of that region

  std::optional<double> mark; // a time to measure from

  const core::TraceSlice *slice(SliceRef ref) const;
  const std::string &groupName(int32_t group) const { return groups_[group].name; }
  /// Tracks where time is spent: rows of what is in flight do not count.
  int32_t groupSize(int32_t group) const { return groups_[group].working; }
  int64_t groupPid(int32_t group) const { return groups_[size_t(group)].pid; }
  int32_t groupCount() const { return int32_t(groups_.size()); }
  std::string trackName(int32_t track) const;
  /// "WGMMA, 12.3 µs to 12.9 µs (0.6 µs)", track and nesting below.
  std::string describe(SliceRef ref) const;
  /// The arrows that end or begin at the slice, a sentence each, the first few.
  std::vector<std::string> linkWords(SliceRef ref) const;
  /// What is known of a slice in flight: "16384 bytes, x.py:12"; empty for others.
  std::string detail(SliceRef ref) const { return laid_.detail(ref.track, ref.slice); }
  double beginOf(SliceRef ref) const;
  /// The n-th track from the top, -1 when there are fewer.
  int32_t trackInOrder(int32_t n) const;
  /// Scrolls and pans, without zooming, until the slice is in sight.
  void reveal(SliceRef ref);
  /// Canvas position of a slice's middle in the last frame's rows; false when it has none.
  bool centreOf(SliceRef ref, double width, Point &at) const;

private:
  struct Group {
    std::string name;
    int64_t pid = 0;
    std::vector<int32_t> tracks;
    int32_t working = 0; // of them not only for what is in flight
    bool collapsed = false;
    mutable std::optional<TrackMap> map = {}; // while it is folded
  };
  /// A track's slices of one depth, in time order.
  struct Lane {
    std::vector<int32_t> slices;
  };
  struct Row {
    double y, height;
    int32_t track, group;
  };
  void layRows(double rowHeight);
  /// A heading for each processor, or for each block of one with very many tracks.
  void layGroups();
  void composeOverview(double height);
  void composeLane(const Row &row, uint32_t depth, double width, double height, double rowHeight);
  void composeGhosts(const Row &row, uint32_t depth, double width, double height, double rowHeight);
  void composeCallout(double width, double height, double rowHeight);
  void layGhost();
  void composeTicks(double width, double rowHeight);
  void composeArrows(double width, double height, double rowHeight);
  void indexArrows();
  /// Indices of the arrows that begin or end at the slice, ascending.
  std::vector<uint32_t> arrowsAt(SliceRef ref) const;
  void composePath(double width, double height, double rowHeight);
  const core::CriticalPath &shownPath() const;
  void analyseRange();
  std::optional<uint32_t> givenSlice(SliceRef ref) const;
  void saveNotes();

  std::shared_ptr<const core::Trace> given_, trace_; // as it came; as it is drawn
  double originNs_ = 0, length_ = 0;
  int64_t sliceCount_ = 0;
  TimeRange view_;
  double scroll_ = 0, contentHeight_ = 0, rowsFor_ = -1, shownHeight_ = 0;
  std::vector<Group> groups_;
  std::optional<TrackMap> overview_;
  std::vector<int32_t> order_;           // tracks from the top
  std::vector<std::vector<Lane>> lanes_; // by track, then depth
  std::vector<Row> rows_;
  std::vector<double> rowOf_; // y of each track's row, below 0 where it is folded away
  TraceLanes laid_;
  std::vector<std::pair<SliceRef, uint32_t>> arrowEnds_; // both of each arrow, by slice; the arrow's index in laid_
  std::vector<char> nameMatches_;
  std::vector<char> litNames_; // by name; empty: all are lit
  std::vector<std::string> litPlaces_;
  std::string searchText_;
  std::optional<TimeRange> range_;
  mutable TraceInsight insight_; // keeps what was asked last
  core::CriticalPath why_;       // of the selected slice
  std::vector<core::ChainLink> chain_;
  SliceRef chainOf_;
  std::vector<SliceRef> flightAt_; // by flight: where it is drawn
  std::shared_ptr<const core::Trace> previous_;
  std::string previousTitle_, file_, noteProblem_;
  /// The trace before as it is drawn, and which slice of it is which; while they are compared.
  struct Ghost : TraceLanes {
    core::TraceAlignment to;
    double originNs = 0;
    std::vector<std::vector<Lane>> lanes;               // by track of this trace, then depth
    std::vector<std::vector<std::vector<int32_t>>> now; // likewise, beside lanes: slices of this trace; -1: none
  };
  std::optional<Ghost> ghost_;
  std::vector<core::TraceNote> notes_;
  TimelineFrame frame_;
};

} // namespace lanescope::viz
