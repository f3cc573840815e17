#pragma once

#include "core/tpu/emulator/Machine.h"

namespace lanescope::core::sparsecore {

/// Reports the fault that no subcore can continue (kind "deadlock"): what each one waits for, and what would have to
/// happen.
void reportDeadlock(Machine &m);

} // namespace lanescope::core::sparsecore
