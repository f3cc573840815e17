// The rules that a TMA descriptor obeys, told in the user's terms before the driver (which only says "invalid value")
// or the emulator meets it. Source: the CUDA driver API's cuTensorMapEncodeTiled, …Im2col and …Im2colWide.
#pragma once

#include "core/gpu/kernel/Launch.h"

namespace lanescope::core {

/// `bytes`: size of the buffer that the descriptor is over; `where` names it in messages ("descriptor 0 over `x`").
/// All broken rules are reported. Errors: kind "tensor-map".
Result<void> checkTensorMap(const TensorMapSpec &map, uint64_t bytes, const std::string &where);

} // namespace lanescope::core
