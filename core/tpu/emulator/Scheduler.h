// The scheduler: it lets the subcores run in short steps until all have ended. The next step belongs to the subcore
// whose time is least by the cost model or, with a seed, to a random one.
#pragma once

#include "core/tpu/emulator/TpuMachine.h"

#include <atomic>

namespace lanescope::core::sparsecore {

struct ScheduleLimits {
  double seconds = 20;
  const std::atomic<bool> *interrupted = nullptr;
};

/// Runs all subcores to their end; a fault is in Machine::fault.
void runAll(Machine &m, const ScheduleLimits &limits);

} // namespace lanescope::core::sparsecore
