// Runs a block: of its warps the earliest first, for a while, each a split at a time.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

class StepWatch;

/// Waiting: nothing can happen in the block by itself. Abandoned: whoever watches has no use for the rest.
enum class RunState : uint8_t { Running, Waiting, Finished, Faulted, Abandoned };

/// Runs until the block ends, faults, can only wait, has executed `budget` more instructions, or its next event is
/// later than `until`. `watch`: is told of each step; null: nobody is, and it costs nothing.
RunState runBlock(Block &block, uint64_t budget, uint64_t until, StepWatch *watch = nullptr);

/// Finishes what is in flight in a block that ends. False after a fault.
bool finishBlock(Block &block);

} // namespace lanescope::core::emulator
