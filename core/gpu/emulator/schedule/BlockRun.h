// Runs a block: of its warps the earliest first, for a while, each a split at a time.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Waiting: nothing can happen in the block by itself.
enum class RunState : uint8_t { Running, Waiting, Finished, Faulted };

/// Runs until the block ends, faults, can only wait, has executed `budget` more instructions, or its next event is
/// later than `until`.
RunState runBlock(Block &block, uint64_t budget, uint64_t until);

} // namespace lanescope::core::emulator
