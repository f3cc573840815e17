// The barrier of a cluster, `barrier.cluster`.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"

namespace lanescope::core::emulator {

/// Ends the barrier's phase if all threads that have not exited have arrived.
void releaseIfComplete(Cluster &cluster);

} // namespace lanescope::core::emulator
