// The texts that the trace view shows beside the timeline. The numbers come from core's TraceAnalysis.h, like those of
// `trace --summary`.
#pragma once

#include "viz/gui/timeline/TimelineModel.h"

#include <array>
#include <string>
#include <vector>

namespace lanescope::viz {

/// A row of the table of regions: "mbarrier wait", 12, 12.9 µs, 1.08 µs, 67.6 %.
struct StatisticsRow {
  uint32_t name = 0;                // determines its colour; see core::regionName
  std::array<std::string, 4> cells; // count, total, median, share; "in flight" has no share
  std::string details;              // the tooltip, one fact per line
};

/// Shortens "block (1, 0, 0) warpgroup 0" to "(1,0,0) wg 0". The tracks of different blocks still have different names.
std::string shortTrackName(std::string name);
/// A slice in words.
struct SliceWords {
  std::string name;
  std::string times;  // "0.6 µs, from 12.3 µs to 12.9 µs"
  std::string detail; // an operation in flight's; may be empty
  std::string track;  // "core 12, block (1, 0, 0) warpgroup 0"
  std::vector<std::string> links;
};
/// Nothing if there is no such slice.
std::optional<SliceWords> sliceWords(const TimelineModel &model, SliceRef ref);
/// The regions, with the longest self time first, and then the operations in flight.
std::vector<StatisticsRow> statisticsRows(const TimelineModel &model);
/// "2 tracks, 50 slices, 9.61 µs", or the selected range.
std::string scopeText(const TimelineModel &model);
/// The parts of the critical path while it is shown, longest first: "62.0 %  5.96 µs  TMA load in flight, x.py:12".
std::vector<std::string> pathWords(const TimelineModel &model);
/// One line for each state that occurs: "66.1 %  copies in flight, all warps wait".
std::vector<std::pair<core::OverlapState, std::string>> overlapWords(const TimelineModel &model);
/// Facts about blocks on processors and the tail. For a selected range, the number of processors for each number of
/// blocks.
std::vector<std::string> occupancyWords(const TimelineModel &model);
/// The occupancy at a moment: "12.3 µs: 120 of 132 processors have a block, 240 blocks".
std::string occupancyAt(const TimelineModel &model, double time);
/// The changes since the previous trace, for the space above the table of regions.
std::vector<std::string> comparisonWords(const TimelineModel &model);
/// The chain of the selected slice, one line per link.
std::vector<std::string> chainWords(const TimelineModel &model);
/// If a chain has more links than are listed: the times of all of its links, longest first.
std::vector<std::string> chainSharesWords(const TimelineModel &model);
/// Explains the columns, the time between regions, and the time that is spent waiting.
std::vector<std::string> statisticsRemarks(const TimelineModel &model);

} // namespace lanescope::viz
