// A run of PTX that nobody prepared for a profile, with a trace: what is in flight, who waits for what, by the
// emulator's cycles (machine/CostModel.h).
#pragma once

#include "core/gpu/emulator/Emulator.h"

namespace lanescope::core {

/// emulate(), and RunResult::trace: a track per warpgroup; per warp where blocks are smaller than one.
Result<RunResult> emulateTraced(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                EmulatorOptions options);

} // namespace lanescope::core
