// The natural loops of a program.
//
//   for (const Loop &loop : loopsOf(program)) …     // loop.latch jumps, or falls through, to loop.header
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <vector>

namespace lanescope::core::emulator {

struct Loop {
  // Indices into Program::code: the first instruction, and the one that goes back to the first.
  uint32_t header = 0, latch = 0;
  bool taken = false;         // true: the latch goes back by its branch; false: it falls through
  std::vector<uint32_t> body; // unordered
};

/// Returns one loop for each way back to a header.
std::vector<Loop> loopsOf(const Program &program);

} // namespace lanescope::core::emulator
