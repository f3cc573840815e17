// The rules that a TMA descriptor obeys, told in the user's terms before the driver (which only says "invalid value")
// or the emulator meets it. Source: the CUDA driver API's cuTensorMapEncodeTiled, …Im2col and …Im2colWide.
#pragma once

#include "core/gpu/kernel/Launch.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// A broken rule, and the member of the launch description's descriptor that breaks it.
struct TensorMapProblem {
  std::string_view member; // "box"
  std::string message;
};

/// All rules that a descriptor breaks by itself, over a buffer of whatever size.
std::vector<TensorMapProblem> tensorMapProblems(const TensorMapSpec &map);

/// `bytes`: size of the buffer that the descriptor is over; `where` names it in messages ("descriptor 0 over `x`").
/// All broken rules are reported. Errors: kind "tensor-map".
Result<void> checkTensorMap(const TensorMapSpec &map, uint64_t bytes, const std::string &where);

} // namespace lanescope::core
