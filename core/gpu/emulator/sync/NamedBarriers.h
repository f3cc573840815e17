// The named barriers of a block, `bar.sync` and its kind: who waits there goes on when all have arrived.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Instr::sub of an instruction at a barrier: one of the first five, and flags.
enum BarrierForm : uint8_t {
  kBarSync,
  kBarArrive,
  kBarRedAnd,
  kBarRedOr,
  kBarRedPopc,
  kBarKind = 7,
  kBarAligned = 8,
  kBarNegated = 16
};

/// Ends the phase: sets all free who wait, gives them the result of a reduction.
void releaseBarrier(Block &block, uint32_t number);
/// Threads that a barrier without a count waits for; `aligned`: in whole warps.
uint32_t threadsAwaited(const Block &block, bool aligned);
/// A warp has exited: `bar.sync` without a count waits for fewer threads now.
void barrierAfterExit(Block &block, uint64_t time);

} // namespace lanescope::core::emulator
