// Where the CUDA toolkit's programs are on this machine.
#pragma once

#include <string>

namespace lanescope::core {

/// The path of `ptxas`, `nvdisasm`, …: from PATH, then from the places where toolkits are installed; empty: not here.
std::string findCudaTool(const std::string &name);

} // namespace lanescope::core
