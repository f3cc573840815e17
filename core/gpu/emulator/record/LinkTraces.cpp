// Joins the traces of several devices into one (Links::join).
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/kernel/DeviceTraces.h"
#include "core/gpu/kernel/RegionFlights.h"
#include "core/profiler/Slices.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

double nanoseconds(uint64_t cycle) { return static_cast<double>(cost::kFirstNanosecond + cycle); }

} // namespace

Trace Links::join(std::vector<Trace> traces, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid) const {
  Trace all = joinDeviceTraces(std::move(traces));
  all.emulated = true;

  // Each arrow goes from one short slice to another one, on the tracks of the two warpgroups.
  std::map<size_t, std::vector<TraceSlice>> added;
  auto place = [&](const Point &point, std::string_view what) -> std::optional<TracePoint> {
    uint64_t block = (uint64_t{point.block[0]} * grid[1] + point.block[1]) * grid[2] + point.block[2];
    uint64_t group = point.warp * 32 / std::max(spec.threadsPerTrace, 32u);
    if (group >= spec.tracesPerBlock)
      return std::nullopt;
    auto tid = static_cast<int64_t>(1 + block * spec.tracesPerBlock + group);
    auto found = std::ranges::find_if(all.tracks, [&](const TraceTrack &track) {
      return track.tid == tid && track.pid / kProcessesOfDevice == point.device;
    });
    if (found == all.tracks.end())
      return std::nullopt;
    double at = nanoseconds(point.time);
    added[static_cast<size_t>(found - all.tracks.begin())].push_back(
        {traceName(all, std::string(what)), 0, at, at + 1});
    return TracePoint{found->pid, found->tid, at};
  };
  for (const Arrow &arrow : arrows_)
    if (auto from = place(arrow.from, "signal"))
      if (auto to = place(arrow.to, "signal seen"))
        all.flows.push_back({traceName(all, "signal"), *from, *to});
  for (auto &[track, slices] : added) {
    std::vector<TraceSlice> &into = all.tracks[track].slices;
    into.insert(into.end(), slices.begin(), slices.end());
    nestSlices(into);
  }

  double first = 0, last = 0; // over all tracks, because a link's bytes are shown over the whole run
  for (const TraceTrack &track : all.tracks)
    for (const TraceSlice &slice : track.slices) {
      first = first == 0 ? slice.beginNs : std::min(first, slice.beginNs);
      last = std::max(last, slice.endNs);
    }
  int64_t linkPid = int64_t{devices_} * kProcessesOfDevice + 1;
  for (uint32_t from = 0; from < devices_; ++from)
    for (uint32_t to = 0; to < devices_; ++to)
      if (uint64_t carried = bytes(from, to)) {
        int64_t tid = 1 + int64_t{from} * devices_ + to;
        all.tracks.push_back({linkPid, tid, "links", text("device ", from, " to device ", to, " in flight"), {}});
        all.flights.push_back({traceName(all, "link"), linkPid, tid, first, last, text(carried, " bytes in all")});
        for (const Transfer &one : transfers_)
          if (one.from == from && one.to == to)
            all.flights.push_back({traceName(all, "over the link"), linkPid, tid, nanoseconds(one.begin),
                                   nanoseconds(one.end), text(one.bytes, " bytes, ", one.what)});
      }
  sortFlights(all);
  std::ranges::stable_sort(all.flows, {}, [](const TraceFlow &flow) { return flow.from.ns; });
  return all;
}

} // namespace lanescope::core::emulator
