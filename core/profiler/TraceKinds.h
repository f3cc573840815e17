// Classifies a name in a trace: waiting, the tensor core, a copy, or other work. Traces have no field for the class, so
// the names of the emulator and of kernels' authors decide it.
#pragma once

#include <string_view>

namespace lanescope::core {

enum class TraceKind { Run, Wait, Tensor, Copy };

/// "mbarrier wait", "WGMMA drain": Wait. "mma", "matmul": Tensor. "load", "cp.async", "store": Copy. Anything else:
/// Run.
TraceKind kindOfName(std::string_view name);

/// The class of an operation in flight: a copy unless it is the tensor core's. An operation in tensor memory is
/// neither: Run.
TraceKind kindOfFlight(std::string_view name);

} // namespace lanescope::core
