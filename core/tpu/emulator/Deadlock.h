#pragma once

#include "core/tpu/emulator/Machine.h"

namespace lanescope::core::sparsecore {

/// The fault that no subcore can go on (kind "deadlock"): who waits for what, and what would have to happen.
void reportDeadlock(Machine &m);

} // namespace lanescope::core::sparsecore
