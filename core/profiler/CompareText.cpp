#include "core/profiler/CompareText.h"

#include "core/profiler/TextTable.h"
#include "core/profiler/TimeWords.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <cmath>

namespace lanescope::core {

namespace {

std::string fromTo(double before, double after) { return text(timeText(before), " -> ", timeText(after)); }

/// The time at which the region first occurs; it may be in only one trace.
std::string firstText(const RegionChange &region) {
  return region.countBefore == 0  ? timeText(region.firstAfter)
         : region.countAfter == 0 ? timeText(region.firstBefore)
                                  : fromTo(region.firstBefore, region.firstAfter);
}

} // namespace

std::string growthText(double ns) {
  return std::abs(ns) < 0.5 ? "0 ns" : text(ns > 0 ? "+" : "-", timeText(std::abs(ns)));
}

std::string compareHeadline(const TraceComparison &of) {
  if (of.shared() == 0 && !of.regions.empty())
    return "the traces share no region: they are hardly of one kernel";
  const RegionChange *most = nullptr;
  for (const RegionChange &region : of.regions)
    if (!region.inFlight && std::abs(region.growth()) >= 0.5 && !most)
      most = &region;
  if (!most)
    return "no region takes more or less time";
  return text("`", shownName(most->name), "` ", most->growth() > 0 ? "grew" : "shrank",
              " most: ", timeText(most->selfBefore), " to ", timeText(most->selfAfter), " per track");
}

std::string compareText(const TraceComparison &of) {
  std::string out =
      text("length: ", fromTo(of.lengthBefore, of.lengthAfter), " (", growthText(of.lengthAfter - of.lengthBefore),
           "); tracks: ", of.tracksBefore, of.tracksBefore == of.tracksAfter ? "" : text(" -> ", of.tracksAfter), "\n",
           compareHeadline(of), "\n", of.wait ? text(grownWaitText(*of.wait), "\n") : "", "\n");
  std::vector<std::vector<std::string>> rows = {{"region", "count", "per track", "change", "median", "first after"}};
  for (const RegionChange &region : of.regions)
    rows.push_back({text(region.name, region.inFlight ? " (in flight)" : "",
                         region.countBefore == 0  ? " (new)"
                         : region.countAfter == 0 ? " (gone)"
                                                  : ""),
                    region.countBefore == region.countAfter ? std::to_string(region.countAfter)
                                                            : text(region.countBefore, " -> ", region.countAfter),
                    fromTo(region.selfBefore, region.selfAfter), growthText(region.growth()),
                    fromTo(region.medianBefore, region.medianAfter), firstText(region)});
  rows.push_back({"(no regions marked)", "", fromTo(of.betweenBefore, of.betweenAfter),
                  growthText(of.betweenAfter - of.betweenBefore), "", ""});
  out += alignedColumns(rows);
  rows.clear();
  for (size_t s = 0; s < kOverlapStates; ++s)
    if (of.overlapBefore.of[s] > 0 || of.overlapAfter.of[s] > 0)
      rows.push_back({text("  ", overlapName(static_cast<OverlapState>(s))),
                      text(percentText(of.overlapBefore.of[s]), " -> ", percentText(of.overlapAfter.of[s]))});
  if (!rows.empty())
    out += text("\noverlap, shares of the processors' time:\n", alignedColumns(rows));
  return out + "first after: from the trace's first mark to the region's first begin\n"
               "per track: the region's own time, without the regions inside, divided by the number of tracks\n";
}

} // namespace lanescope::core
