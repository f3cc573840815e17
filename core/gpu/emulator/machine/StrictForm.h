// What the checker lets pass on purpose (check/Rules.h, kLeniencies), one at a time: in a run of a strict form it does
// not. The rule of the same name is what is told then (replay/StrictRuns.h).
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

enum class StrictForm : uint8_t {
  None,
  EqualWrite,       // a write of the bytes that are there already is a write
  RelaxedInBlock,   // relaxed and volatile accesses order nothing within a block, either
  CarriedFence,     // a fence, or a read of a flag, counts for its own thread alone
  RelaxedEnd,       // relaxed barriers and arrivals of the scope `.cta` end no use of another block's shared memory
  UnwrittenMatrix,  // `ldmatrix` reads memory, whoever uses its registers
  AllocatedAddress, // the word that `tcgen05.alloc` writes is a word like others
  CopyAfterMma,     // `tcgen05.cp` is not ordered after an `mma` that reads what it overwrites
  UnitReduction,    // reductions of asynchronous units are atomic on their own device alone
  VectorEnd,        // a vector load reads all of its bytes
  GlobalProxy,      // copies of global memory need a proxy fence after the writes of threads
};

} // namespace lanescope::core::emulator
