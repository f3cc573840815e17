#include "core/profiler/ExplainTrace.h"

#include "core/profiler/Overlap.h"
#include "core/profiler/TextTable.h"
#include "core/profiler/TraceAnalysis.h"
#include "core/profiler/TraceOccupancy.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <map>

namespace lanescope::core {

namespace {

constexpr size_t kShownSites = 5, kShownShares = 8;

std::string lineWords(const Trace &trace, uint32_t place) {
  return place != 0 && place < trace.places.size() ? text(", ", trace.places[place]) : "";
}

/// The step's region in words: "`scale`, x.py:9". For a step outside of all regions, other words.
std::string regionWords(const Trace &trace, const PathStep &step) {
  return step.name == PathStep::kNone ? "with no regions marked"
                                      : text("in ", sliceWords(trace, step.name, step.place));
}

std::string flightWords(const Trace &trace, const PathStep &step) {
  std::string name = shownName(regionName(trace, step.name));
  if (step.flight >= trace.flights.size() || trace.flights[step.flight].detail.empty())
    return text("`", name, "`", lineWords(trace, step.place), ", was in flight");
  return text("`", name, "`, ", trace.flights[step.flight].detail, ", was in flight");
}

/// The line of the mark at the end of a run, if the run ended with an arrival: ", x.py:30".
std::string arrivalLine(const TraceCauses &causes, const PathStep &run) {
  uint32_t slice = causes.innermostAt(run.track, run.endNs);
  if (slice == TraceCauses::kNoSlice)
    return "";
  const TraceSlice &at = causes.trace().tracks[run.track].slices[slice];
  return at.beginNs == run.endNs ? lineWords(causes.trace(), at.place) : "";
}

/// `later` is the step after this one in time. It shows the effect of a run.
std::string stepWords(const TraceCauses &causes, const PathStep &step, const PathStep *later) {
  const Trace &trace = causes.trace();
  std::string who = shownName(threadName(trace.tracks[step.track])), out;
  switch (step.kind) {
  case PathStep::Kind::Flight: out = flightWords(trace, step); break;
  case PathStep::Kind::Run:
    out = text(who, " ran ", regionWords(trace, step));
    if (later && later->kind == PathStep::Kind::Flight)
      out += " before it issued that";
    else if (later && later->kind == PathStep::Kind::Wake && later->track != step.track)
      out += text(" before it arrived", arrivalLine(causes, step));
    break;
  case PathStep::Kind::Wake: {
    const TraceSlice &wait = trace.tracks[step.track].slices[step.slice];
    out = later ? text(who, " had waited in ", sliceWords(trace, step.name, step.place), ", ",
                       timeText(wait.endNs - wait.beginNs), " long, and went on after")
                : text("until it went on after");
    break;
  }
  case PathStep::Kind::Wait:
    out = text(who, " waited in ", sliceWords(trace, step.name, step.place), "; the trace does not say for what");
    break;
  case PathStep::Kind::Launch: out = text("before the first mark of ", who); break;
  }
  return step.inferred ? out + " (inferred from the order of regions)" : out;
}

} // namespace

std::string sliceWords(const Trace &trace, uint32_t name, uint32_t place) {
  return text("`", shownName(regionName(trace, name)), "`", lineWords(trace, place));
}

std::string shareWords(const Trace &trace, const PathShare &share) {
  std::string name = share.name == PathStep::kNone ? "no regions marked" : sliceWords(trace, share.name, share.place);
  switch (share.kind) {
  case PathStep::Kind::Run: return share.name == PathStep::kNone ? name : "running " + name;
  case PathStep::Kind::Flight: return name + " in flight";
  case PathStep::Kind::Wake: return "from what ended it to going on: " + name;
  case PathStep::Kind::Wait: return name + ", cause not known";
  case PathStep::Kind::Launch: return "before a block's first mark";
  }
  return name;
}

std::vector<ChainLink> chainOf(const TraceCauses &causes, const CriticalPath &path, size_t most) {
  std::vector<ChainLink> out;
  double length = path.endNs - path.beginNs;
  for (size_t n = 0; n < path.steps.size() && out.size() < most; ++n) {
    const PathStep &step = path.steps[n];
    double within = path.within(step);
    ChainLink link{.ns = step.length(), .share = length > 0 ? within / length : 0, .step = step};
    link.before = step.endNs <= path.beginNs;
    link.words = stepWords(causes, step, n > 0 ? &path.steps[n - 1] : nullptr);
    out.push_back(std::move(link));
  }
  return out;
}

std::vector<WaitSite> waitSites(const TraceCauses &causes) {
  std::map<std::pair<uint32_t, uint32_t>, WaitSite> by;
  const Trace &trace = causes.trace();
  for (uint32_t track = 0; track < trace.tracks.size(); ++track)
    for (const CausedWait &wait : causes.waits(track)) {
      const TraceSlice &slice = trace.tracks[track].slices[wait.slice];
      WaitSite &site = by[{slice.name, slice.place}];
      double length = wait.endNs - wait.beginNs;
      if (site.count++ == 0 || length > site.longest.endNs - site.longest.beginNs)
        site.track = track, site.longest = wait;
      site.name = slice.name, site.place = slice.place;
      site.totalNs += length;
    }
  std::vector<WaitSite> out;
  for (const auto &[key, site] : by)
    out.push_back(site);
  std::ranges::stable_sort(out, std::greater(), &WaitSite::totalNs);
  return out;
}

CriticalPath pathOfSlice(const TraceCauses &causes, uint32_t track, uint32_t slice) {
  constexpr size_t kFurther = 3; // covers the issuer's run and the wait before it
  const TraceSlice &of = causes.trace().tracks[track].slices[slice];
  return pathTo(causes, track, of.endNs, of.beginNs, kFurther);
}

namespace {

std::string chainText(const TraceCauses &causes, const CriticalPath &path) {
  std::vector<std::vector<std::string>> rows;
  for (const ChainLink &link : chainOf(causes, path))
    rows.push_back({"    ← " + link.words, timeText(link.ns), link.before ? "before" : percentText(link.share)});
  return rows.empty() ? "" : alignedColumns(rows);
}

std::string sitesText(const TraceCauses &causes) {
  const Trace &trace = causes.trace();
  std::vector<WaitSite> sites = waitSites(causes);
  if (sites.empty())
    return "no waits: no region of this trace has the name of a wait\n";
  double begin = traceStartNs(trace);
  std::string out = "waits, those that take longest first:\n";
  for (size_t n = 0; n < std::min(sites.size(), kShownSites); ++n) {
    const WaitSite &site = sites[n];
    const TraceTrack &track = trace.tracks[site.track];
    out += text("\n", sliceWords(trace, site.name, site.place), ": ", counted(site.count, "time"), ", ",
                timeText(site.totalNs), " in all\n  the longest, ", timeText(site.longest.endNs - site.longest.beginNs),
                " from ", timeText(site.longest.beginNs - begin), " on, of ", shownName(processName(track)), ", ",
                shownName(threadName(track)), ":\n");
    out += chainText(causes, pathOfSlice(causes, site.track, site.longest.slice));
  }
  if (sites.size() > kShownSites)
    out += text("\n", sites.size() - kShownSites, " more lines wait\n");
  return out;
}

std::string pathText(const TraceCauses &causes) {
  CriticalPath path = gridPath(causes);
  double length = path.endNs - path.beginNs;
  if (path.steps.empty() || !(length > 0))
    return "";
  std::vector<std::vector<std::string>> rows;
  std::vector<PathShare> shares = sharesOf(path);
  for (size_t n = 0; n < std::min(shares.size(), kShownShares); ++n)
    rows.push_back({text("  ", shareWords(causes.trace(), shares[n]), shares[n].inferred ? " (inferred)" : ""),
                    text(shares[n].count, " x"), timeText(shares[n].ns), percentText(shares[n].ns / length)});
  if (double untold = path.untoldNs(); untold > 0)
    rows.push_back({"  before that: the trace does not say which warp issued it", "", timeText(untold),
                    percentText(untold / length)});
  return text("\ncritical path, ", timeText(length), " back from what finished last:\n", alignedColumns(rows));
}

std::string overlapText(const Trace &trace) {
  Overlap of = overlapOf(trace);
  std::vector<std::vector<std::string>> rows;
  for (size_t s = 0; s < kOverlapStates; ++s)
    if (of.whole.of[s] > 0)
      rows.push_back({text("  ", overlapName(static_cast<OverlapState>(s))), percentText(of.whole.of[s])});
  if (rows.empty())
    return "";
  return text("\noverlap, shares of the processors' time",
              of.named ? " (from the names of regions: the trace records nothing in flight)" : "", ":\n",
              alignedColumns(rows));
}

std::string occupancyText(const Trace &trace) {
  TraceOccupancy of = occupancyOf(trace);
  std::string out;
  for (const std::string &line : occupancyLines(of))
    out += text(out.empty() ? "\noccupancy: " : "", line, "\n");
  return out;
}

std::string notesText(const Trace &trace) {
  std::string out = trace.notes.empty() ? "" : "\nnotes:\n";
  for (const TraceNote &note : trace.notes)
    out += text("  ", timeText(note.ns - traceStartNs(trace)), ": ", note.text, "\n");
  return out;
}

} // namespace

std::string explain(const Trace &trace) {
  if (std::ranges::all_of(trace.tracks, [](const TraceTrack &track) { return track.slices.empty(); }))
    return "the trace is empty: no region was recorded\n";
  TraceCauses causes(trace);
  std::string out =
      text(trace.emulated ? "emulated: the times come from the emulator's cycle model, not from a GPU\n\n" : "",
           sitesText(causes), pathText(causes), overlapText(trace), occupancyText(trace), notesText(trace));
  std::ranges::replace_if( // names come from files and must not control the terminal
      out, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F; }, '?');
  return out;
}

} // namespace lanescope::core
