// Copies from global to shared memory without TMA: every thread of the warpgroup issues its pieces.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

void addCpAsync(HandlerTable &table);

} // namespace lanescope::core
