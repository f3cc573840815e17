// Measures a kernel alone: consecutive launches in a CUDA graph between two events, so that neither the driver nor the
// host's clock is included.
//
//   Result<double> us = timeLaunches(api, stream, {.launch = …, .await = …, .firstUs = 31.5, .samples = 20});
//
// A graph has so many launches that they take about a millisecond. It runs once unmeasured and then `samples` times.
// Launches do not overlap: each begins after the one before it has ended.
#pragma once

#include "core/gpu/runtime/CudaApi.h"

#include <functional>

namespace lanescope::core {

struct TimedLaunches {
  std::function<Result<void>()> launch; // queues one launch on the stream, without waiting
  std::function<Result<void>()> await;  // waits until the stream is idle; its errors end the timing
  double firstUs = 0;                   // approximate duration of one launch
  uint32_t samples = 1;
};

/// Microseconds per launch: the median of the samples. If the driver has no graphs, launches are queued one by one.
/// Errors: those of `launch` and `await`; "gpu" if the driver refuses.
Result<double> timeLaunches(const cuda::Api &api, cuda::Stream stream, const TimedLaunches &launches);

} // namespace lanescope::core
