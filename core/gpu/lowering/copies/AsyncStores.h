// Arrays sent to the shared memory of another block of the cluster.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

void addAsyncStores(HandlerTable &table);

} // namespace lanescope::core
