// The time of a kernel alone: launches one after the other in a CUDA graph, between two events, so that neither the
// driver nor the host's clock counts.
//
//   Result<double> us = timeLaunches(api, stream, {.launch = …, .await = …, .firstUs = 31.5, .samples = 20});
//
// A graph holds as many launches as take about a millisecond; it is run once unmeasured and then `samples` times.
// Successive launches overlap in nothing: the next begins when the one before it has ended.
#pragma once

#include "core/gpu/runtime/CudaApi.h"

#include <functional>

namespace lanescope::core {

struct TimedLaunches {
  std::function<Result<void>()> launch; // one, on the stream, without waiting
  std::function<Result<void>()> await;  // until the stream is idle; its errors end the timing
  double firstUs = 0;                   // about how long one takes
  uint32_t samples = 1;
};

/// Microseconds of one launch: the median of the samples. Where the driver has no graphs, the launches are queued one
/// by one. Errors: those of `launch` and `await`; "gpu" where the driver refuses.
Result<double> timeLaunches(const cuda::Api &api, cuda::Stream stream, const TimedLaunches &launches);

} // namespace lanescope::core
