#include "core/profiler/Occupancy.h"

#include "core/profiler/Causes.h"
#include "core/profiler/TraceAnalysis.h"

#include <algorithm>
#include <map>

namespace lanescope::core {

namespace {

struct Stay {
  double beginNs, endNs;
};

/// Adds the stays of a processor's blocks up.
void addUp(ProcessTimes &process, std::vector<Stay> &stays, double &together) {
  std::ranges::sort(stays, {}, &Stay::beginNs);
  process.blocks = stays.size();
  process.firstNs = stays.front().beginNs;
  process.lastNs = stays.front().endNs;
  double reach = process.firstNs;
  std::vector<double> ends; // of the blocks that are there, as a heap
  for (const Stay &stay : stays) {
    while (!ends.empty() && ends.front() <= stay.beginNs) {
      std::ranges::pop_heap(ends, std::greater());
      ends.pop_back();
    }
    ends.push_back(stay.endNs);
    std::ranges::push_heap(ends, std::greater());
    process.most = std::max(process.most, ends.size());
    process.busyNs += std::max(0.0, stay.endNs - std::max(reach, stay.beginNs));
    reach = std::max(reach, stay.endNs);
    together += stay.endNs - stay.beginNs;
  }
  process.lastNs = reach;
}

} // namespace

TraceOccupancy occupancyOf(const Trace &trace) {
  std::map<int64_t, std::map<std::string_view, Stay>> stays;
  std::map<int64_t, std::string> names;
  auto flown = flightTracks(trace);
  for (const TraceTrack &track : trace.tracks) {
    if (track.slices.empty() || flown.contains({track.pid, track.tid}))
      continue;
    double begin = track.slices.front().beginNs, end = begin;
    for (const TraceSlice &slice : track.slices)
      end = std::max(end, slice.endNs);
    auto [stay, isNew] = stays[track.pid].try_emplace(blockOfTrack(track), Stay{begin, end});
    if (!isNew)
      stay->second = {std::min(stay->second.beginNs, begin), std::max(stay->second.endNs, end)};
    names.try_emplace(track.pid, processName(track));
  }
  TraceOccupancy out;
  double together = 0, busy = 0;
  for (auto &[pid, blocks] : stays) {
    std::vector<Stay> all;
    for (const auto &[name, stay] : blocks)
      all.push_back(stay);
    ProcessTimes process{.pid = pid, .name = names[pid]};
    addUp(process, all, together);
    busy += process.busyNs;
    out.blocks += process.blocks;
    out.beginNs = out.processes.empty() ? process.firstNs : std::min(out.beginNs, process.firstNs);
    out.endNs = out.processes.empty() ? process.lastNs : std::max(out.endNs, process.lastNs);
    out.processes.push_back(std::move(process));
  }
  double length = out.endNs - out.beginNs, count = static_cast<double>(out.processes.size());
  if (out.processes.empty() || !(length > 0))
    return out;
  out.busyShare = busy / (length * count);
  out.averageBlocks = together / (length * count);
  out.tailNs = out.endNs - std::ranges::min(out.processes, {}, &ProcessTimes::lastNs).lastNs;
  double lost = 0;
  for (const ProcessTimes &process : out.processes)
    lost += out.endNs - process.lastNs;
  if (out.tailNs > 0)
    out.tailIdle = lost / (out.tailNs * count);
  return out;
}

} // namespace lanescope::core
