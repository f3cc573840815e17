// Finds the programs of the CUDA toolkit on this machine.
#pragma once

#include <string>

namespace lanescope::core {

/// The path of `ptxas`, `nvdisasm`, …: found in PATH, or else in the usual folders of toolkits. Empty: the program is
/// not installed.
std::string findCudaTool(const std::string &name);

} // namespace lanescope::core
