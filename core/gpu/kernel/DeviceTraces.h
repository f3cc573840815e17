// Joins the traces of several devices, with a group of processes for each device: "device 1 SM 3".
#pragma once

#include "core/gpu/kernel/Profile.h"

#include <span>

namespace lanescope::core {

/// The processes of device d have numbers from d times this constant on.
inline constexpr int64_t kProcessesOfDevice = 1000;

/// Joins one trace per device, in order. All times must be of one clock.
Trace joinDeviceTraces(std::vector<Trace> traces);
/// Sorts flights by begin; arrows keep referring to the same flights.
void sortFlights(Trace &trace);

/// Like decodeProfile, for the consecutive buffers of `devices` GPUs. `clockOffsetsNs`: how far each device's
/// %globaltimer is ahead of the first device's. If it is empty, the offsets are unknown and taken as zero.
Result<Trace> decodeProfiles(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                             const std::vector<uint32_t> &words, uint32_t devices,
                             std::span<const int64_t> clockOffsetsNs);

} // namespace lanescope::core
