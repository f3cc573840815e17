// Converts copies of the runtime API to the driver's form.
#pragma once

#include "core/gpu/driver/runtime/RuntimeTypes.h"

namespace lanescope::core::runtime {

driver::Copy3D spaceOf(const CopyParameters &from);
/// The size of an array's texel; 0: there is no such array.
size_t texelBytes(TexelArray *array);

} // namespace lanescope::core::runtime
