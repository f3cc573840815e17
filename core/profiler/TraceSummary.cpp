// The text of `trace --summary`. TraceAnalysis.h computes the numbers.
#include "core/profiler/TextTable.h"
#include "core/profiler/TraceAnalysis.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cstdio>

namespace lanescope::core {

namespace {

constexpr size_t kShownTracks = 3;

std::string fixed(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string inUs(double ns) { return fixed(ns / 1000, 3); }

std::string percent(double share, double whole) { return whole > 0 ? percentText(share) : "-"; }

std::string regionTable(const Trace &trace, const TraceAnalysis &of) {
  std::vector<std::vector<std::string>> rows = {
      {"region", "count", "total us", "median ns", "p95 ns", "max ns", "share"}};
  if (of.nested)
    rows[0].insert(rows[0].begin() + 3, "self us");
  for (const RegionTimes &region : of.regions) {
    std::vector<std::string> row = {shownName(regionName(trace, region.name)),
                                    std::to_string(region.count),
                                    inUs(region.totalNs),
                                    fixed(region.medianNs, 0),
                                    fixed(region.p95Ns, 0),
                                    fixed(region.longestNs, 0),
                                    percent(region.share, of.spanNs)};
    if (of.nested)
      row.insert(row.begin() + 3, inUs(region.selfNs));
    rows.push_back(std::move(row));
  }
  std::vector<std::string> between(rows[0].size(), "");
  between[0] = "(between regions)";
  between[2] = inUs(of.betweenNs);
  between.back() = percent(of.betweenShare(), of.spanNs);
  rows.push_back(between);
  return alignedColumns(rows) + text("share: of the tracks' own times, ", inUs(of.spanNs), " us in all",
                                     of.nested ? ", without the regions inside" : "", "\n");
}

std::string waits(const Trace &trace, const TraceAnalysis &of) {
  std::string words = shownName(waitingText(trace, of));
  return words.empty()
             ? words
             : text(words, ", ", inUs(of.waitNs / static_cast<double>(of.tracks.size())), " us a track on average\n");
}

/// The operations of the asynchronous units: the number of each kind, and the time of one.
std::string inFlight(const Trace &trace, const TraceAnalysis &of) {
  std::string out = of.flights.empty() ? "" : "in flight:\n";
  for (const FlightTimes &flight : of.flights)
    out += text("  ", shownName(regionName(trace, flight.name)), ": ", flight.count, ", median ",
                fixed(flight.medianNs, 0), " ns, max ", fixed(flight.longestNs, 0), " ns\n");
  return out;
}

std::string idleTracks(const Trace &trace, const TraceAnalysis &of) {
  auto called = [&](const TrackTimes &times) {
    const TraceTrack &track = trace.tracks[times.track];
    return text("  ", shownName(processName(track)), ", ", shownName(threadName(track)), ": ");
  };
  std::vector<TrackTimes> sorted = of.tracks;
  std::ranges::stable_sort(sorted, std::greater(), &TrackTimes::spanNs);
  std::string out = "longest tracks:\n";
  for (size_t i = 0; i < std::min(kShownTracks, sorted.size()); ++i)
    out += text(called(sorted[i]), inUs(sorted[i].spanNs), " us, ", percent(sorted[i].idle(), sorted[i].spanNs),
                " between regions\n");
  if (sorted.size() <= kShownTracks)
    return out;
  std::ranges::stable_sort(sorted, std::greater(), &TrackTimes::idle);
  out += "tracks with the most time between regions:\n";
  for (size_t i = 0; i < kShownTracks; ++i)
    out +=
        text(called(sorted[i]), percent(sorted[i].idle(), sorted[i].spanNs), " of ", inUs(sorted[i].spanNs), " us\n");
  return out;
}

/// The word for the processes: the word before their numbers, if all processes have the same.
std::string processWord(const Trace &trace, size_t count) {
  std::string_view word;
  for (const TraceTrack &track : trace.tracks) {
    std::string_view name = track.processName, own = name.substr(0, name.find(' '));
    if (own.size() == name.size() || (!word.empty() && own != word))
      return count == 1 ? " process" : " processes";
    word = own;
  }
  return text(" ", word, count == 1 ? "" : "s");
}

} // namespace

std::string summarize(const Trace &trace) {
  TraceAnalysis of = analyse(trace);
  if (of.tracks.empty())
    return "the trace is empty: no region was recorded\n";
  std::string out =
      text(counted(of.tracks.size(), "track"), " on ", of.processes, processWord(trace, of.processes), ", ",
           counted(of.slices, "region"), " in ", inUs(of.lengthNs), " us from the first mark to the last\n");
  if (trace.emulated)
    out += "emulated: the times come from the emulator's cycle model, not from a GPU\n";
  return text(out, "\n", regionTable(trace, of), "\n", waits(trace, of), inFlight(trace, of), idleTracks(trace, of));
}

} // namespace lanescope::core
