// What a name in a trace stands for: waiting, the tensor core, a copy, or other work. Traces have no field for it, so
// names tell: the emulator's own, and those that kernels' authors give.
#pragma once

#include <string_view>

namespace lanescope::core {

enum class TraceKind { Run, Wait, Tensor, Copy };

/// "mbarrier wait", "WGMMA drain": Wait. "mma", "matmul": Tensor. "load", "cp.async", "store": Copy. Anything else:
/// Run.
TraceKind kindOfName(std::string_view name);

/// Of what is in flight: a copy unless it is the tensor core's. What lies in tensor memory is none of both: Run.
TraceKind kindOfFlight(std::string_view name);

} // namespace lanescope::core
