#include "viz/gui/timeline/SliceMoment.h"

#include "core/gpu/kernel/DeviceTraces.h"

#include <algorithm>

namespace lanescope::viz {

std::optional<SliceMoment> momentOf(const DebugTarget &target, const core::Trace &trace, SliceRef ref) {
  const core::ProfileSpec &profile = target.profile;
  if (!trace.emulated || !ref.valid() || ref.slice < 0 || profile.tracesPerBlock == 0)
    return std::nullopt;
  const core::TraceTrack &track = trace.tracks[size_t(ref.track)];
  const core::TraceSlice &slice = track.slices[size_t(ref.slice)];
  const auto &grid = target.launch.grid;
  uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  int64_t device = target.launch.deviceCount() > 1 ? track.pid / core::kProcessesOfDevice : 0;
  bool known = std::ranges::find(profile.names, core::regionName(trace, slice.name)) != profile.names.end();
  if (!known || track.tid < 1 || device < 0 || slice.beginNs < double(core::kEmulatedStart))
    return std::nullopt;
  // Tracks count the blocks with z fastest, the debugger with x fastest.
  auto number = uint64_t(track.tid - 1), index = number / profile.tracesPerBlock;
  if (index >= blocks)
    return std::nullopt;
  auto z = uint32_t(index % grid[2]), y = uint32_t(index / grid[2] % grid[1]), x = uint32_t(index / grid[2] / grid[1]);
  auto block = core::blockNumberOf(target.launch, {uint32_t(device), x + grid[0] * (y + grid[1] * z)});
  if (!block)
    return std::nullopt;
  auto warp = uint32_t(number % profile.tracesPerBlock * std::max(profile.threadsPerTrace, 32u) / 32);
  return SliceMoment{{*block, warp}, uint64_t(slice.beginNs - double(core::kEmulatedStart))};
}

std::optional<SliceMoment> TimelineModel::moment(SliceRef slice) const {
  return debugged && trace_ && notes.file().empty() ? momentOf(*debugged, *trace_, slice) : std::nullopt;
}

bool TimelineModel::askForMoment() {
  wantedMoment = moment(selected);
  return wantedMoment.has_value();
}

} // namespace lanescope::viz
