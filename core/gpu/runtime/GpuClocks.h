// Measures the differences between the clocks of GPUs, for a joint trace.
//
//   clockOffsets(api, devices)      {0, -1834}: the second's %globaltimer is 1.8 us behind the first's
//
// On each GPU, a kernel answers the host's calls with its %globaltimer. The kernel answers at some moment between a
// call and its answer's arrival on the host. So the shortest round trip gives the best measurement; its error is at
// most half of the round trip, about a microsecond.
#pragma once

#include "core/gpu/runtime/Gpu.h"

#include <span>

namespace lanescope::core {

/// Returns how far each device's clock is ahead of the first one's, in ns. The devices must have contexts and be idle.
/// Errors: "profile-clocks" if the driver lacks a function, or a GPU does not answer.
Result<std::vector<int64_t>> clockOffsets(const cuda::Api &api, std::span<const GpuDevice *const> devices);

/// The entry's name in the answering kernel, for a test's fake driver.
inline constexpr char kClockEntry[] = "lanescope_clock";
/// The memory shared by host and kernel: [0] is the number of the last call, [n] the answer to call n (from 1).
inline constexpr uint32_t kClockCalls = 32;

} // namespace lanescope::core
