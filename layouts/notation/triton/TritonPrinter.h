// Writes any map as a Triton attribute, the simplest that gives the same map.
//
//   tritonText(*placement(catalogue::wgmma(), {64, 64}, 16))
//     ->  "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>"
//
// Registers: blocked, else nvidia_mma, dot_op of one, slice of blocked or nvidia_mma, else linear or generic_linear.
// Shared memory: swizzled_shared, nvmma_shared, else shared_linear or padded_shared. Tensor memory:
// tensor_memory_encoding or tensor_memory_scales_encoding. Each candidate is made into a map and compared.
#pragma once

#include "layouts/Placement.h"

#include <string>

namespace lanescope::layouts {

/// Errors "notation-lossy": the map is not linear (with the places that contradict each other), or no Triton attribute
/// takes its bases.
Result<std::string> tritonText(const Placement &placement);

} // namespace lanescope::layouts
