// The leniencies of the checker (check/Rules.h, kLeniencies) that a run can go without, one in each run. The checker
// then reports the rule of the same name (replay/StrictRuns.h).
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

enum class StrictForm : uint8_t {
  None,
  EqualWrite,       // a write of the bytes that are there already is a write
  RelaxedInBlock,   // relaxed and volatile accesses order nothing within a block, either
  CarriedFence,     // a fence, or a read of a flag, counts for its own thread alone
  RelaxedEnd,       // relaxed barriers and arrivals of the scope `.cta` end no use of another block's shared memory
  UnwrittenMatrix,  // `ldmatrix` reads memory, also where no instruction uses its registers
  AllocatedAddress, // the word that `tcgen05.alloc` writes is a word like others
  CopyAfterMma,     // `tcgen05.cp` is not ordered after an `mma` that reads what it overwrites
  UnitReduction,    // reductions of asynchronous units are atomic on their own device alone
  VectorEnd,        // a vector load reads all of its bytes
  GlobalProxy,      // copies of global memory need a proxy fence after the writes of threads
};

} // namespace lanescope::core::emulator
