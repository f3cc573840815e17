// The traces of devices side by side as one, with a group of processes for each device: "device 1 SM 3".
#pragma once

#include "core/gpu/kernel/Profile.h"

#include <span>

namespace lanescope::core {

/// Numbers of the processes of device d begin behind d times as many.
inline constexpr int64_t kProcessesOfDevice = 1000;

/// One trace of each device's, in their order; their times are of one clock.
Trace joinDeviceTraces(std::vector<Trace> traces);
/// Flights by begin; arrows go on naming the same ones.
void sortFlights(Trace &trace);

/// decodeProfile of the buffers of `devices` devices of GPUs, one behind the other. `clockOffsetsNs`: how far each
/// one's %globaltimer is ahead of the first's; none: not known, and taken as nothing.
Result<Trace> decodeProfiles(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                             const std::vector<uint32_t> &words, uint32_t devices,
                             std::span<const int64_t> clockOffsetsNs);

} // namespace lanescope::core
