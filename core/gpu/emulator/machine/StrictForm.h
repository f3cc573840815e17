// The checker's leniencies (check/Rules.h, kLeniencies) that can be switched off. A strict run switches one of them
// off, and reports the rule of the same name (replay/StrictRuns.h).
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

enum class StrictForm : uint8_t {
  None,
  EqualWrite,     // a write of bytes that are already there counts as a write
  RelaxedInBlock, // relaxed and volatile accesses order nothing, not even within a block
  CarriedFence,   // a fence, or a read of a flag, orders only accesses of the thread that executes it
  RelaxedEnd, // relaxed barriers, and arrivals of scope `.cta`, do not end the uses of another block's shared memory
  UnwrittenMatrix,  // `ldmatrix` reads memory even if no instruction uses its registers
  AllocatedAddress, // the word that `tcgen05.alloc` writes is checked like any other
  CopyAfterMma,     // `tcgen05.cp` is not ordered after an `mma` that reads what it overwrites
  UnitReduction,    // reductions of asynchronous units are atomic only on their own device
  VectorEnd,        // a vector load reads all of its bytes
  GlobalProxy,      // copies of global memory need a proxy fence after the writes of threads
};

} // namespace lanescope::core::emulator
