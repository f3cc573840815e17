// The table of all families' handlers, by operation name.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

const HandlerTable &handlers();

} // namespace lanescope::core
