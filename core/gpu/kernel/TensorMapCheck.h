// Checks the rules for a TMA descriptor before the driver or the emulator uses it. The messages use the user's terms;
// the driver only says "invalid value". Source: the CUDA driver API's cuTensorMapEncodeTiled, …Im2col and …Im2colWide.
#pragma once

#include "core/gpu/kernel/Launch.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// A violated rule, and the member of the launch description's descriptor that violates it.
struct TensorMapProblem {
  std::string_view member; // "box"
  std::string message;
};

/// Returns all rules that the descriptor itself violates, regardless of the buffer's size.
std::vector<TensorMapProblem> tensorMapProblems(const TensorMapSpec &map);

/// `bytes`: size of the descriptor's buffer; `where` names it in messages ("descriptor 0 over `x`"). Reports all
/// violated rules. Errors: kind "tensor-map".
Result<void> checkTensorMap(const TensorMapSpec &map, uint64_t bytes, const std::string &where);

} // namespace lanescope::core
