// Semaphores: counters in global memory that blocks signal and wait for.
#pragma once

#include "core/lowering/KernelLowering.h"

namespace lanescope::core {

void addSemaphores(HandlerTable &table);

} // namespace lanescope::core
