#include "core/gpu/kernel/RegionFlights.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <map>

namespace lanescope::core {

namespace {

constexpr std::string_view kIssue = " issue", kWait = " wait";

struct Region {
  const TraceTrack *track;
  const TraceSlice *slice;
};

/// The regions of one name in a block.
struct Pairs {
  std::vector<Region> issues;
  std::map<int64_t, std::vector<Region>> waits; // keyed by track
};

/// A moment inside of the slice, near its end. Arrows end there.
double nearEnd(const TraceSlice &slice) { return std::max(slice.beginNs, slice.endNs - 1); }

} // namespace

uint32_t traceName(Trace &trace, std::string_view name) {
  auto at = std::ranges::find(trace.names, name);
  if (at == trace.names.end())
    at = trace.names.insert(trace.names.end(), std::string(name));
  return static_cast<uint32_t>(at - trace.names.begin());
}

void addRegionFlights(Trace &trace, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid) {
  std::map<std::pair<uint64_t, std::string>, Pairs> found; // keyed by block and name
  for (const TraceTrack &track : trace.tracks)
    for (const TraceSlice &slice : track.slices) {
      std::string_view name = trace.names[slice.name];
      uint64_t block = static_cast<uint64_t>(track.tid - 1) / spec.tracesPerBlock;
      if (name.ends_with(kIssue))
        found[{block, std::string(name.substr(0, name.size() - kIssue.size()))}].issues.push_back({&track, &slice});
      else if (name.ends_with(kWait))
        found[{block, std::string(name.substr(0, name.size() - kWait.size()))}].waits[track.tid].push_back(
            {&track, &slice});
    }
  std::vector<TraceTrack> added;
  for (auto &[key, pairs] : found) {
    auto [block, name] = key;
    std::ranges::stable_sort(pairs.issues, {}, [](const Region &region) { return region.slice->beginNs; });
    int64_t tid = flightTid(spec, grid, block);
    uint32_t id = 0;
    bool any = false;
    for (size_t n = 0; n < pairs.issues.size(); ++n) {
      const Region &issue = pairs.issues[n];
      double end = -1;
      for (const auto &[waiting, waits] : pairs.waits) {
        if (n >= waits.size() || waits[n].slice->endNs < issue.slice->beginNs)
          continue; // skip this name: its regions are not in pairs
        if (!any)
          id = traceName(trace, name);
        const TraceSlice &wait = *waits[n].slice;
        end = end < 0 ? wait.endNs : std::min(end, wait.endNs);
        trace.flows.push_back({id,
                               {issue.track->pid, issue.track->tid, issue.slice->beginNs},
                               {waits[n].track->pid, waits[n].track->tid, nearEnd(wait)},
                               TraceFlow::kNone,
                               true});
        any = true;
      }
      if (end >= 0)
        trace.flights.push_back({id, issue.track->pid, tid, issue.slice->beginNs, end, ""});
    }
    if (any && (added.empty() || added.back().tid != tid))
      added.push_back({pairs.issues[0].track->pid,
                       tid,
                       pairs.issues[0].track->processName,
                       text(traceBlockName(grid, block), " in flight"),
                       {}});
  }
  trace.tracks.insert(trace.tracks.end(), added.begin(), added.end());
  std::ranges::stable_sort(trace.flights, {}, &TraceFlight::beginNs);
  std::ranges::stable_sort(trace.flows, {}, [](const TraceFlow &flow) { return flow.from.ns; });
}

} // namespace lanescope::core
