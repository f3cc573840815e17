#include "viz/gui/timeline/TimelineWords.h"

#include "core/profiler/CompareText.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/scene/TraceScene.h"

namespace lanescope::viz {

std::string shortTrackName(std::string name) {
  for (auto [from, to] : {std::pair("block ", ""), {", ", ","}, {"warpgroup", "wg"}, {"tensor memory", "TMEM"}})
    for (size_t at = name.find(from); at != std::string::npos; at = name.find(from, at + 1))
      name.replace(at, std::string_view(from).size(), to);
  return name;
}

std::optional<SliceWords> sliceWords(const TimelineModel &model, SliceRef ref) {
  const core::TraceSlice *slice = model.slice(ref);
  if (!slice)
    return std::nullopt;
  const core::TraceTrack &track = model.trace()->tracks[size_t(ref.track)];
  double length = slice->endNs - slice->beginNs, begin = model.beginOf(ref);
  return SliceWords{core::regionName(*model.trace(), slice->name),
                    text(timeText(length), ", from ", timeText(begin), " to ", timeText(begin + length)),
                    model.detail(ref), text(core::processName(track), ", ", model.trackName(ref.track)),
                    model.linkWords(ref)};
}

std::vector<StatisticsRow> statisticsRows(const TimelineModel &model) {
  const core::TraceAnalysis &of = model.analysis();
  std::vector<StatisticsRow> out;
  for (const core::RegionTimes &region : of.regions)
    out.push_back({region.name,
                   {std::to_string(region.count), timeText(region.totalNs), timeText(region.medianNs),
                    core::percentText(region.share)},
                   text(counted(region.count, "slice"), "\nshortest ", timeText(region.shortestNs), ", median ",
                        timeText(region.medianNs), ", 95th percentile ", timeText(region.p95Ns), ", longest ",
                        timeText(region.longestNs), "\n", timeText(region.selfNs), " without the regions inside, ",
                        core::percentText(region.share), " of the tracks' time")});
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
                                  : text(counted(of.tracks.size(), "track"), ", ", counted(of.slices, "slice"), ", ",
                                         timeText(of.lengthNs));
  return model.trace() && model.trace()->emulated ? out + "; times are the emulator's cycle model" : out;
}

static std::vector<std::string> shareLines(const TimelineModel &model, const std::vector<core::PathShare> &shares,
                                           double length) {
  constexpr size_t kMost = 8;
  std::vector<std::string> out;
  for (const core::PathShare &share : shares)
    if (out.size() < kMost)
      out.push_back(text(core::percentText(length > 0 ? share.ns / length : 0), "  ", timeText(share.ns), "  ",
                         core::shareWords(*model.trace(), share), share.inferred ? " (inferred)" : ""));
  return out;
}

std::vector<std::string> pathWords(const TimelineModel &model) {
  std::vector<std::string> out = shareLines(model, model.pathShares(), model.pathLength());
  if (double untold = model.pathUntold(); model.showPath && untold > 0)
    out.push_back(text(timeText(untold), " before that: the trace does not say who issued what was waited for"));
  return out;
}

std::vector<std::string> chainSharesWords(const TimelineModel &model) {
  const core::CriticalPath &why = model.why();
  if (why.steps.size() <= model.chain().size())
    return {};
  std::vector<std::string> out = shareLines(model, core::sharesOf(why), why.endNs - why.beginNs);
  out.insert(out.begin(), text("In all, ", why.steps.size(), " links:"));
  return out;
}

std::vector<std::pair<core::OverlapState, std::string>> overlapWords(const TimelineModel &model) {
  constexpr double kLeast = 0.0005;
  std::vector<std::pair<core::OverlapState, std::string>> out;
  const core::OverlapShares &shares = model.overlapShares();
  for (size_t s = 0; s < core::kOverlapStates; ++s)
    if (auto state = static_cast<core::OverlapState>(s); shares.of[s] >= kLeast)
      out.emplace_back(state, text(core::percentText(shares.of[s]), "  ", core::overlapName(state)));
  return out;
}

std::vector<std::string> occupancyWords(const TimelineModel &model) {
  std::vector<std::string> out = core::occupancyLines(model.occupancy());
  if (!model.range() || out.empty())
    return out;
  std::vector<core::OccupancyBin> bins = core::occupancyBins(
      model.occupancy(), {model.range()->begin + model.originNs(), model.range()->end + model.originNs()}, 1);
  if (bins.empty())
    return out;
  std::vector<std::string> shares;
  for (size_t blocks = 0; blocks < bins[0].size(); ++blocks)
    if (bins[0][blocks] >= 0.0005)
      shares.push_back(text(core::percentText(bins[0][blocks]), " with ",
                            blocks == 0                    ? "none"
                            : blocks + 1 == bins[0].size() ? text(blocks, " blocks or more")
                                                           : counted(blocks, "block")));
  out.push_back(text("in the selected stretch: ", joined(shares, ", ")));
  return out;
}

std::string occupancyAt(const TimelineModel &model, double time) {
  size_t some = 0;
  uint64_t blocks = 0;
  for (int32_t group = 0; group < model.groupCount(); ++group) {
    uint32_t here = model.blocksAt(group, time);
    some += here > 0, blocks += here;
  }
  size_t all = model.occupancy().processes.size();
  return text(timeText(time), ": ", some, " of ", all, all == 1 ? " processor has" : " processors have", " a block, ",
              counted(blocks, "block"), " in all");
}

std::vector<std::string> comparisonWords(const TimelineModel &model) {
  const auto &of = model.comparison();
  if (!of)
    return {};
  std::vector<std::string> out = {text("Before: ", model.previousTitle(), ", ", timeText(of->lengthBefore), "; now ",
                                       timeText(of->lengthAfter), " (",
                                       core::growthText(of->lengthAfter - of->lengthBefore), ")."),
                                  core::compareHeadline(*of) + "."};
  if (model.ghost())
    out.push_back("The strip in the lower part of a row is the trace before, from its first mark on; a line leads from "
                  "where a region began to where it begins now.");
  if (of->wait)
    out.push_back(core::grownWaitText(*of->wait) + ".");
  return out;
}

std::vector<std::string> chainWords(const TimelineModel &model) {
  std::vector<std::string> out;
  for (const core::ChainLink &link : model.chain())
    out.push_back(link.before ? text(timeText(link.ns), ", before it:  ", link.words)
                              : text(timeText(link.ns), ", ", core::percentText(link.share), ":  ", link.words));
  return out;
}

std::vector<std::string> statisticsRemarks(const TimelineModel &model) {
  const core::TraceAnalysis &of = model.analysis();
  std::vector<std::string> out{"Total adds up all tracks; share is of their own times, without the regions inside."};
  out.push_back(text(core::percentText(of.betweenShare()), " lies between regions: no regions marked there."));
  if (model.trace())
    if (std::string words = core::waitingText(*model.trace(), of); !words.empty())
      out.push_back(words);
  return out;
}

} // namespace lanescope::viz
