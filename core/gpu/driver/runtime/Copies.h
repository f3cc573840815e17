// Copies of the runtime as the driver takes them.
#pragma once

#include "core/gpu/driver/runtime/RuntimeTypes.h"

namespace lanescope::core::runtime {

driver::Copy3D spaceOf(const CopyParameters &from);

} // namespace lanescope::core::runtime
