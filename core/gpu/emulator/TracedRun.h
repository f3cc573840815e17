// A traced run of PTX that was not compiled for profiling: what is in flight and the waits between warps, in the
// emulator's cycles (machine/CostModel.h).
#pragma once

#include "core/gpu/emulator/Emulator.h"

namespace lanescope::core {

/// emulate() that also fills RunResult::trace: one track per warpgroup, or per warp if blocks are smaller than one.
Result<RunResult> emulateTraced(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                EmulatorOptions options);

} // namespace lanescope::core
