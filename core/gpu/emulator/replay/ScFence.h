// The fences of which any two have one order (PTX ISA, "Fence-SC").
#pragma once

#include <string_view>

namespace lanescope::core::emulator {

/// True for a sequentially consistent fence of all blocks; `membar.gl` is `fence.sc.gpu`.
inline bool isScFence(std::string_view opcode) {
  return opcode == "fence.sc.gpu" || opcode == "fence.sc.sys" || opcode == "membar.gl" || opcode == "membar.sys";
}

} // namespace lanescope::core::emulator
