// Where the matrix of a wmma.load or wmma.store lies: lines of so many bytes, each a stride after the one before.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

struct WmmaLines {
  uint64_t address = 0, count = 0, bytes = 0, stride = 0; // stride in bytes
};
/// By the operands of the warp's first lane; the instruction wants those of all lanes to be alike.
WmmaLines wmmaLines(Warp &warp, const Instr &i);

} // namespace lanescope::core::emulator
