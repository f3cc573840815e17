// The scheduler: subcores run in turns, the one with the least time by the cost model first, until all have ended.
#pragma once

#include "core/tpu/emulator/Machine.h"

#include <atomic>

namespace lanescope::core::sparsecore {

struct ScheduleLimits {
  double seconds = 20;
  const std::atomic<bool> *interrupted = nullptr;
};

/// Runs all subcores to their end; a fault is in Machine::fault.
void runAll(Machine &m, const ScheduleLimits &limits);

} // namespace lanescope::core::sparsecore
