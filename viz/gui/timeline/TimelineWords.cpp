#include "viz/gui/timeline/TimelineWords.h"

#include "layouts/support/Text.h"
#include "viz/scene/TraceScene.h"

namespace lanescope::viz {

std::vector<StatisticsRow> statisticsRows(const TimelineModel &model) {
  const core::TraceAnalysis &of = model.analysis();
  std::vector<StatisticsRow> out;
  for (const core::RegionTimes &region : of.regions)
    out.push_back({region.name,
                   {std::to_string(region.count), timeText(region.totalNs), timeText(region.medianNs),
                    core::percentText(region.share)},
                   text(region.count, region.count == 1 ? " slice" : " slices", "\nshortest ",
                        timeText(region.shortestNs), ", median ", timeText(region.medianNs), ", 95th percentile ",
                        timeText(region.p95Ns), ", longest ", timeText(region.longestNs), "\n", timeText(region.selfNs),
                        " without the regions inside, ", core::percentText(region.share), " of the tracks' time")});
  for (const core::FlightTimes &flight : of.flights)
    out.push_back({flight.name,
                   {std::to_string(flight.count), timeText(flight.totalNs), timeText(flight.medianNs), "in flight"},
                   text(flight.count, " in flight, the longest ", timeText(flight.longestNs))});
  return out;
}

std::string scopeText(const TimelineModel &model) {
  const core::TraceAnalysis &of = model.analysis();
  std::string out = model.range() ? text(timeText(model.range()->begin), " to ", timeText(model.range()->end), ", ",
                                         timeText(model.range()->length()), " long")
                                  : text(of.tracks.size(), of.tracks.size() == 1 ? " track, " : " tracks, ", of.slices,
                                         of.slices == 1 ? " slice, " : " slices, ", timeText(of.lengthNs));
  return model.trace() && model.trace()->emulated ? out + "; times are the emulator's cycle model" : out;
}

std::vector<std::string> statisticsRemarks(const TimelineModel &model) {
  const core::TraceAnalysis &of = model.analysis();
  std::vector<std::string> out{"Total adds up all tracks; share is of their own times, without the regions inside."};
  out.push_back(text(core::percentText(of.betweenShare()), " lies between regions."));
  if (model.trace())
    if (std::string words = core::waitingText(*model.trace(), of); !words.empty())
      out.push_back(words);
  return out;
}

} // namespace lanescope::viz
