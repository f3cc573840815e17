// The named barriers of a block (`bar.sync` and the like). Warps that wait at a barrier go on when all threads have
// arrived.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Instr::sub of an instruction at a barrier: one of the first five values, plus flags.
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

/// Ends the phase: releases all warps that wait, and hands them the result of a reduction.
void releaseBarrier(Block &block, uint32_t number);
/// The number of threads that a barrier without a count waits for. `aligned`: counts whole warps.
uint32_t threadsAwaited(const Block &block, bool aligned);
/// A warp has exited: a `bar.sync` without a count now waits for fewer threads.
void barrierAfterExit(Block &block, uint64_t time);

} // namespace lanescope::core::emulator
