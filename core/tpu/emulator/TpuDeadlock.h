#pragma once

#include "core/tpu/emulator/TpuMachine.h"

namespace lanescope::core::sparsecore {

/// Reports the fault that no subcore can continue (kind "deadlock"). The message states what each subcore waits for and
/// what would end its wait.
void reportDeadlock(Machine &m);

} // namespace lanescope::core::sparsecore
