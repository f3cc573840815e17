// Runs a block: the warp with the earliest time runs for a while, one of its splits at a time.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

class StepWatch;

/// Waiting: nothing more can happen in the block without other blocks. Abandoned: the watch does not need the rest of
/// the run.
enum class RunState : uint8_t { Running, Waiting, Finished, Faulted, Abandoned };

/// Runs the block. Returns when the block ends, faults, can only wait, or has executed `budget` more instructions, or
/// when its next event is later than `until`. `watch` gets each step. A null `watch` costs nothing.
RunState runBlock(Block &block, uint64_t budget, uint64_t until, StepWatch *watch = nullptr);

/// Finishes what is in flight in a block that ends. Returns false after a fault.
bool finishBlock(Block &block);

} // namespace lanescope::core::emulator
