// Reads the arguments of a kernel from launches and graph nodes.
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

/// `parameters`: a pointer to each argument; or `extra`: all of them as one block (CU_LAUNCH_PARAM_BUFFER_POINTER).
/// Errors: neither is given for a kernel with parameters.
Status readParameters(const Function &function, void **parameters, void **extra,
                      std::vector<std::vector<std::byte>> &out);
/// Reads the launch of a graph's node. Errors: those of readParameters, and of an invalid handle.
Status readKernelNode(State &state, const KernelNodeParams &from, KernelWork &out);

} // namespace lanescope::core::driver
