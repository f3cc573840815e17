#include "core/gpu/kernel/DeviceTraces.h"

#include "core/gpu/kernel/RegionFlights.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace lanescope::core {

void sortFlights(Trace &trace) {
  std::vector<uint32_t> order(trace.flights.size()), now(order.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](uint32_t flight) { return trace.flights[flight].beginNs; });
  std::vector<TraceFlight> sorted;
  for (uint32_t flight : order) {
    now[flight] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(trace.flights[flight]));
  }
  trace.flights = std::move(sorted);
  for (TraceFlow &flow : trace.flows)
    if (flow.flight != TraceFlow::kNone)
      flow.flight = now[flow.flight];
}

Trace joinDeviceTraces(std::vector<Trace> traces) {
  Trace all;
  for (size_t device = 0; device < traces.size(); ++device) {
    Trace &one = traces[device];
    auto pid = [&](int64_t own) { return static_cast<int64_t>(device) * kProcessesOfDevice + own; };
    auto name = [&](uint32_t own) { return traceName(all, one.names[own]); };
    auto place = [&](uint32_t own) {
      auto known = std::ranges::find(all.places, one.places[own]);
      if (known == all.places.end())
        known = all.places.insert(known, one.places[own]);
      return static_cast<uint32_t>(known - all.places.begin());
    };
    auto flights = static_cast<uint32_t>(all.flights.size()); // number of flights of the devices before this one
    for (TraceTrack &track : one.tracks) {
      track.pid = pid(track.pid);
      track.processName = text("device ", device, " ", track.processName);
      track.threadName = text("device ", device, " ", track.threadName);
      for (TraceSlice &slice : track.slices)
        slice = {name(slice.name), slice.depth, slice.beginNs, slice.endNs, place(slice.place)};
      all.tracks.push_back(std::move(track));
    }
    for (TraceFlight &flight : one.flights) {
      flight.pid = pid(flight.pid);
      flight.name = name(flight.name);
      flight.place = place(flight.place);
      if (flight.issued)
        flight.issued->pid = pid(flight.issued->pid);
      all.flights.push_back(std::move(flight));
    }
    for (TraceFlow &flow : one.flows) {
      flow.name = name(flow.name);
      flow.from.pid = pid(flow.from.pid);
      flow.to.pid = pid(flow.to.pid);
      if (flow.flight != TraceFlow::kNone)
        flow.flight += flights;
      all.flows.push_back(flow);
    }
    std::ranges::move(one.warnings, std::back_inserter(all.warnings));
  }
  return all;
}

/// Converts the start times of all records to the first device's clock, shifted so that their low halves do not wrap.
static void alignStarts(const ProfileSpec &spec, std::vector<uint32_t> &words, uint32_t devices,
                        std::span<const int64_t> clockOffsetsNs) {
  constexpr size_t kStart = 0, kUsed = 2; // words of a record (Profile.cpp)
  size_t record = spec.entriesPerTrace, each = words.size() / devices;
  std::optional<uint32_t> first;
  for (size_t at = 0; at + record <= words.size(); at += record) {
    size_t device = at / each;
    if (device < clockOffsetsNs.size())
      words[at + kStart] -= static_cast<uint32_t>(clockOffsetsNs[device]);
    if (!first && words[at + kUsed] > 0)
      first = words[at + kStart];
  }
  constexpr uint32_t kMiddle = 1u << 31;
  for (size_t at = 0; first && at + record <= words.size(); at += record)
    words[at + kStart] += kMiddle - *first;
}

Result<Trace> decodeProfiles(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                             const std::vector<uint32_t> &words, uint32_t devices,
                             std::span<const int64_t> clockOffsetsNs) {
  if (devices == 1)
    return decodeProfile(spec, grid, words, false);
  std::vector<uint32_t> aligned = words;
  if (spec.entriesPerTrace > 2 && words.size() % (size_t{devices} * spec.entriesPerTrace) == 0)
    alignStarts(spec, aligned, devices, clockOffsetsNs);
  std::vector<Trace> traces;
  size_t each = aligned.size() / devices;
  for (uint32_t device = 0; device < devices; ++device) {
    auto from = aligned.begin() + static_cast<ptrdiff_t>(device * each);
    traces.push_back(LANESCOPE_TRY(decodeProfile(spec, grid, {from, from + static_cast<ptrdiff_t>(each)}, false)));
  }
  Trace all = joinDeviceTraces(std::move(traces));
  sortFlights(all);
  return all;
}

} // namespace lanescope::core
