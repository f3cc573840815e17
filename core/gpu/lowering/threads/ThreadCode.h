// Per-thread statements among those of the warpgroup.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

void addThreadCode(HandlerTable &table);
/// Per-thread code on arrays.
void addCustomPrimitives(HandlerTable &table);

} // namespace lanescope::core
