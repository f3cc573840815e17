// The place of a wmma.load's or wmma.store's matrix in memory: lines of equal size, one stride apart.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

struct WmmaLines {
  uint64_t address = 0, count = 0, bytes = 0, stride = 0; // stride in bytes
};
/// By the operands of the warp's first lane; the instruction requires all lanes to have the same.
WmmaLines wmmaLines(Warp &warp, const Instr &i);

} // namespace lanescope::core::emulator
