// A traced run of PTX that was not compiled for profiling. The trace shows operations in flight and waits between
// warps, in the emulator's cycles (machine/CostModel.h).
#pragma once

#include "core/gpu/emulator/Emulator.h"

namespace lanescope::core {

/// Does what emulate() does, and sets RunResult::trace. The trace has one track per warpgroup, or per warp if blocks
/// are smaller than a warpgroup.
Result<RunResult> emulateTraced(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                EmulatorOptions options);

} // namespace lanescope::core
