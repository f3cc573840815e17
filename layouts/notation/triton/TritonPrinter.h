// Writes any map as a Triton attribute: the simplest attribute that gives the same map.
//
//   tritonText(*placement(catalogue::wgmma(), {64, 64}, 16))
//     ->  "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>"
//
// It tries these attributes in order. For registers: blocked, nvidia_mma, dot_op of an nvidia_mma, slice of blocked or
// nvidia_mma, linear, generic_linear. For shared memory: swizzled_shared, nvmma_shared, shared_linear, padded_shared.
// For tensor memory: tensor_memory_encoding, tensor_memory_scales_encoding. The printer computes the map of each
// candidate and compares it.
#pragma once

#include "layouts/Placement.h"

#include <string>

namespace lanescope::layouts {

/// Errors "notation-lossy": the map is not linear (with the places that contradict each other), or no Triton attribute
/// takes its bases.
Result<std::string> tritonText(const Placement &placement);

} // namespace lanescope::layouts
