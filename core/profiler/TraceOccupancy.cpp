#include "core/profiler/TraceOccupancy.h"

#include "core/profiler/Causes.h"
#include "core/profiler/TraceAnalysis.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <map>

namespace lanescope::core {

namespace {

struct Stay {
  double beginNs, endNs;
};

/// Adds up the times of a processor's blocks.
void addUp(ProcessTimes &process, std::vector<Stay> &stays, double &together) {
  std::ranges::sort(stays, {}, &Stay::beginNs);
  process.blocks = stays.size();
  process.firstNs = stays.front().beginNs;
  process.lastNs = stays.front().endNs;
  double reach = process.firstNs;
  std::vector<double> ends; // the end times of the blocks that are present, as a heap
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
  std::vector<std::pair<double, int>> changes;
  for (const Stay &stay : stays) {
    changes.emplace_back(stay.beginNs, 1);
    changes.emplace_back(stay.endNs, -1);
  }
  std::ranges::sort(changes);
  uint32_t now = 0;
  for (auto [ns, by] : changes) {
    now += static_cast<uint32_t>(by);
    if (!process.steps.empty() && process.steps.back().ns == ns)
      process.steps.back().blocks = now;
    else
      process.steps.push_back({ns, now});
  }
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

std::vector<OccupancyBin> occupancyBins(const TraceOccupancy &of, TraceStretch within, size_t bins) {
  double length = within.endNs - within.beginNs, count = static_cast<double>(of.processes.size());
  if (of.processes.empty() || !(length > 0) || bins == 0)
    return {};
  std::vector<OccupancyBin> out(bins, OccupancyBin{});
  double width = length / static_cast<double>(bins);
  auto spend = [&](uint32_t blocks, double from, double to) {
    from = std::max(from, within.beginNs), to = std::min(to, within.endNs);
    if (!(to > from))
      return;
    auto binAt = [&](double ns) { return std::min(static_cast<size_t>((ns - within.beginNs) / width), bins - 1); };
    size_t level = std::min<size_t>(blocks, OccupancyBin().size() - 1);
    for (size_t bin = binAt(from); bin <= binAt(to); ++bin) {
      double begin = within.beginNs + static_cast<double>(bin) * width;
      out[bin][level] += std::max(0.0, std::min(to, begin + width) - std::max(from, begin)) / (width * count);
    }
  };
  for (const ProcessTimes &process : of.processes)
    for (size_t i = 0; i < process.steps.size(); ++i)
      spend(process.steps[i].blocks, process.steps[i].ns,
            i + 1 < process.steps.size() ? process.steps[i + 1].ns : within.endNs);
  for (OccupancyBin &bin : out) {
    double some = 0;
    for (size_t level = 1; level < bin.size(); ++level)
      some += bin[level];
    bin[0] = std::max(0.0, 1 - some); // this includes the time before a processor's first block
  }
  return out;
}

std::vector<std::string> occupancyLines(const TraceOccupancy &of) {
  if (of.processes.empty())
    return {};
  size_t most = std::ranges::max(of.processes, {}, &ProcessTimes::most).most;
  std::vector<std::string> out = {text(counted(of.blocks, "block"), " on ", counted(of.processes.size(), "processor"),
                                       ", at most ", most, " at once; ", percentText(of.busyShare),
                                       " of the processors' time with a block")};
  if (of.processes.size() > 1)
    out.push_back(text("tail: the first processor was done ", timeText(of.tailNs), " before the end, and ",
                       percentText(of.tailIdle), " of that time was idle"));
  return out;
}

} // namespace lanescope::core
