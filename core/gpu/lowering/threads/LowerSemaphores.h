// Semaphores: counters in global memory that blocks signal and wait for.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

void addSemaphores(HandlerTable &table);

} // namespace lanescope::core
