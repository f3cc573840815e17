// The explanation of a trace and the comparison of two, as JSON. The numbers equal those of the texts.
#include "core/profiler/CompareText.h"
#include "core/profiler/CompareTraces.h"
#include "core/profiler/ExplainTrace.h"
#include "core/profiler/Overlap.h"
#include "core/profiler/TraceAnalysis.h"
#include "core/profiler/TraceOccupancy.h"

#include <nlohmann/json.hpp>

namespace lanescope::core {

namespace {

using Out = nlohmann::ordered_json;

std::string written(const Out &json) { return json.dump(1, ' ', false, Out::error_handler_t::replace) + "\n"; }

const char *kindWord(PathStep::Kind kind) {
  switch (kind) {
  case PathStep::Kind::Run: return "run";
  case PathStep::Kind::Flight: return "flight";
  case PathStep::Kind::Wake: return "wake";
  case PathStep::Kind::Wait: return "wait";
  case PathStep::Kind::Launch: return "launch";
  }
  return "";
}

void putName(Out &to, const Trace &trace, uint32_t name, uint32_t place) {
  to["name"] = name == PathStep::kNone ? Out() : Out(regionName(trace, name));
  to["line"] = place != 0 && place < trace.places.size() ? Out(trace.places[place]) : Out();
}

Out trackJson(const Trace &trace, uint32_t track) {
  const TraceTrack &of = trace.tracks[track];
  return {{"pid", of.pid}, {"tid", of.tid}, {"process", processName(of)}, {"thread", threadName(of)}};
}

Out chainJson(const TraceCauses &causes, const CriticalPath &path, double startNs) {
  Out out = Out::array();
  for (const ChainLink &link : chainOf(causes, path)) {
    Out entry{{"kind", kindWord(link.step.kind)}};
    putName(entry, causes.trace(), link.step.name, link.step.place);
    entry["begin_ns"] = link.step.beginNs - startNs;
    entry["ns"] = link.ns;
    entry["share"] = link.share;
    entry["track"] = trackJson(causes.trace(), link.step.track);
    if (link.step.flight < causes.trace().flights.size())
      entry["detail"] = causes.trace().flights[link.step.flight].detail;
    entry["inferred"] = link.step.inferred;
    entry["words"] = link.words;
    out.push_back(std::move(entry));
  }
  return out;
}

Out sharesJson(const OverlapShares &shares) {
  Out out = Out::object();
  for (size_t s = 0; s < kOverlapStates; ++s)
    out[overlapName(static_cast<OverlapState>(s))] = shares.of[s];
  return out;
}

} // namespace

std::string explainJson(const Trace &trace) {
  TraceCauses causes(trace);
  double start = traceStartNs(trace);
  Out out{{"emulated", trace.emulated}, {"waits", Out::array()}};
  for (const WaitSite &site : waitSites(causes)) {
    Out entry = Out::object();
    putName(entry, trace, site.name, site.place);
    entry["count"] = site.count;
    entry["total_ns"] = site.totalNs;
    entry["longest"] = {{"begin_ns", site.longest.beginNs - start},
                        {"ns", site.longest.endNs - site.longest.beginNs},
                        {"track", trackJson(trace, site.track)},
                        {"chain", chainJson(causes, pathOfSlice(causes, site.track, site.longest.slice), start)}};
    out["waits"].push_back(std::move(entry));
  }
  CriticalPath path = gridPath(causes);
  out["critical_path"] = {{"ns", path.endNs - path.beginNs}, {"untold_ns", path.untoldNs()}, {"shares", Out::array()}};
  for (const PathShare &share : sharesOf(path)) {
    Out entry{{"kind", kindWord(share.kind)}};
    putName(entry, trace, share.name, share.place);
    entry["count"] = share.count;
    entry["ns"] = share.ns;
    entry["inferred"] = share.inferred;
    out["critical_path"]["shares"].push_back(std::move(entry));
  }
  Overlap overlap = overlapOf(trace);
  out["overlap"] = sharesJson(overlap.whole);
  out["overlap_inferred"] = overlap.named;
  TraceOccupancy occupancy = occupancyOf(trace);
  out["occupancy"] = {{"blocks", occupancy.blocks},
                      {"busy_share", occupancy.busyShare},
                      {"average_blocks", occupancy.averageBlocks},
                      {"tail_ns", occupancy.tailNs},
                      {"tail_idle_share", occupancy.tailIdle},
                      {"processors", Out::array()}};
  for (const ProcessTimes &process : occupancy.processes)
    out["occupancy"]["processors"].push_back({{"pid", process.pid},
                                              {"name", process.name},
                                              {"blocks", process.blocks},
                                              {"most", process.most},
                                              {"busy_ns", process.busyNs},
                                              {"begin_ns", process.firstNs - start},
                                              {"end_ns", process.lastNs - start}});
  out["notes"] = Out::array();
  for (const TraceNote &note : trace.notes)
    out["notes"].push_back({{"begin_ns", note.ns - start}, {"text", note.text}});
  return written(out);
}

std::string compareJson(const TraceComparison &of) {
  Out out{{"length_ns", {of.lengthBefore, of.lengthAfter}},
          {"tracks", {of.tracksBefore, of.tracksAfter}},
          {"regions", Out::array()},
          {"between_ns", {of.betweenBefore, of.betweenAfter}},
          {"overlap", {sharesJson(of.overlapBefore), sharesJson(of.overlapAfter)}}};
  for (const RegionChange &region : of.regions)
    out["regions"].push_back({{"name", region.name},
                              {"in_flight", region.inFlight},
                              {"count", {region.countBefore, region.countAfter}},
                              {"self_ns_per_track", {region.selfBefore, region.selfAfter}},
                              {"median_ns", {region.medianBefore, region.medianAfter}},
                              {"first_ns", {region.firstBefore, region.firstAfter}},
                              {"growth_ns", region.growth()}});
  out["shared_regions"] = of.shared();
  if (of.wait)
    out["grown_wait"] = {{"name", of.wait->name},
                         {"track", of.wait->track},
                         {"occurrence", of.wait->occurrence},
                         {"ns", {of.wait->before, of.wait->after}},
                         {"starts_later_ns", of.wait->startsLater},
                         {"ended_by", of.wait->by},
                         {"issued_later_ns", of.wait->issuedLater},
                         {"longer_ns", of.wait->longer},
                         {"inferred", of.wait->inferred},
                         {"words", grownWaitText(*of.wait)}};
  return written(out);
}

} // namespace lanescope::core
