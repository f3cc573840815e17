// Classifies a name in a trace: waiting, the tensor core, a copy, or other work. Traces have no field for the class, so
// the names of the emulator and of kernels' authors decide it.
#pragma once

#include <string_view>

namespace lanescope::core {

enum class TraceKind { Run, Wait, Tensor, Copy };

/// The class of a region by its name. "mbarrier wait" and "WGMMA drain" are Wait; "mma" and "matmul" are Tensor;
/// "load", "cp.async" and "store" are Copy. Any other name is Run.
TraceKind kindOfName(std::string_view name);

/// The class of an operation in flight: Tensor for the tensor core's operations, Run for other operations on tensor
/// memory, Copy for all others.
TraceKind kindOfFlight(std::string_view name);

} // namespace lanescope::core
