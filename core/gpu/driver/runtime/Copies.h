// Converts copies of the runtime API to the driver's form.
#pragma once

#include "core/gpu/driver/runtime/RuntimeTypes.h"

namespace lanescope::core::runtime {

driver::Copy3D spaceOf(const CopyParameters &from);

} // namespace lanescope::core::runtime
