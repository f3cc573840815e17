// The natural loops of a program.
//
//   for (const Loop &loop : loopsOf(program)) …     // loop.latch jumps, or falls through, to the loop's first
//   instruction
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <vector>

namespace lanescope::core::emulator {

struct Loop {
  uint32_t header = 0, latch = 0; // indices into Program::code: the first instruction, and one that goes back to it
  bool taken = false;             // by its branch, else by falling through
  std::vector<uint32_t> body;     // in no order
};

/// One for each way back.
std::vector<Loop> loopsOf(const Program &program);

} // namespace lanescope::core::emulator
