// How far the clocks of GPUs are apart, for one trace of all.
//
//   clockOffsets(api, devices)      {0, -1834}: what %globaltimer says on the second is 1.8 us behind the first's
//
// A kernel on each GPU answers the host's calls with its %globaltimer. The call that came back soonest tells best when,
// on the host's clock, the answer was given: within half of the time that it took, about a microsecond.
#pragma once

#include "core/gpu/runtime/Gpu.h"

#include <span>

namespace lanescope::core {

/// Nanoseconds of each device's clock ahead of the first's. The devices have contexts; nothing else runs on them.
/// Errors: "profile-clocks" where the driver cannot, or a GPU does not answer.
Result<std::vector<int64_t>> clockOffsets(const cuda::Api &api, std::span<const GpuDevice *const> devices);

/// The entry's name in the kernel that answers, for a driver that is none.
inline constexpr char kClockEntry[] = "lanescope_clock";
/// What host and kernel share, [0] the number of the last call, and the answer to call n (from 1) at [n].
inline constexpr uint32_t kClockCalls = 32;

} // namespace lanescope::core
