// The place of a matrix in memory for wmma.load or wmma.store: lines of equal size, with a stride between their starts.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

struct WmmaLines {
  uint64_t address = 0, count = 0, bytes = 0, stride = 0; // stride in bytes
};
/// Uses the operands of the warp's first lane. The instruction requires that they are equal in all lanes.
WmmaLines wmmaLines(Warp &warp, const Instr &i);

} // namespace lanescope::core::emulator
