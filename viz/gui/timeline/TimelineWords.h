// What the trace view says beside the timeline: where the time went, in words. The numbers are core's
// TraceAnalysis.h's, as those of `trace --summary` are.
#pragma once

#include "viz/gui/timeline/TimelineModel.h"

#include <array>
#include <string>
#include <vector>

namespace lanescope::viz {

/// A row of the table of regions: "mbarrier wait", 12, 12.9 µs, 1.08 µs, 67.6 %.
struct StatisticsRow {
  uint32_t name = 0;                // its colour; see core::regionName
  std::array<std::string, 4> cells; // count, total, median, share; "in flight" has no share
  std::string details;              // what pointing at it tells, a line each
};

/// Regions with the longest self time first, then what was in flight.
std::vector<StatisticsRow> statisticsRows(const TimelineModel &model);
/// "2 tracks, 50 slices, 9.61 µs", or the stretch that is selected.
std::string scopeText(const TimelineModel &model);
/// Of the critical path while it is shown: "62.0 %  5.96 µs  TMA load in flight, x.py:12", longest first.
std::vector<std::string> pathWords(const TimelineModel &model);
/// "66.1 %  copies in flight, all warps wait", a line a state that there is.
std::vector<std::pair<core::OverlapState, std::string>> overlapWords(const TimelineModel &model);
/// Blocks on processors and the tail; in a selected stretch how many processors had how many.
std::vector<std::string> occupancyWords(const TimelineModel &model);
/// At a moment: "12.3 µs: 120 of 132 processors have a block, 240 blocks".
std::string occupancyAt(const TimelineModel &model, double time);
/// What changed since the trace before, above the table of regions.
std::vector<std::string> comparisonWords(const TimelineModel &model);
/// The chain of the selected slice, a line a link.
std::vector<std::string> chainWords(const TimelineModel &model);
/// Where a chain has more links than are told: what all of them took, longest first.
std::vector<std::string> chainSharesWords(const TimelineModel &model);
/// What the columns mean, what lies between regions and what waiting takes.
std::vector<std::string> statisticsRemarks(const TimelineModel &model);

} // namespace lanescope::viz
