// The arguments of a kernel, as launches and graphs' nodes give them.
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

/// `parameters`: a pointer for each; or `extra`: all of them as one block (CU_LAUNCH_PARAM_BUFFER_POINTER). Errors:
/// there are none of either for a kernel that has some.
Status readParameters(const Function &function, void **parameters, void **extra,
                      std::vector<std::vector<std::byte>> &out);
/// A node's launch; errors as above and of the handle.
Status readKernelNode(State &state, const KernelNodeParams &from, KernelWork &out);

} // namespace lanescope::core::driver
