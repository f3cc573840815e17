// Finds the programs of the CUDA toolkit on this machine.
#pragma once

#include <string>

namespace lanescope::core {

/// The path of `ptxas`, `nvdisasm`, …: from PATH, then from the usual places of toolkits; empty: not installed.
std::string findCudaTool(const std::string &name);

} // namespace lanescope::core
