// The control-flow graph of a program's basic blocks.
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct FlowGraph {
  std::vector<uint32_t> start;                   // the first pc of each basic block; the last entry is the code's size
  std::vector<std::vector<uint32_t>> successors; // block numbers; the highest number is the virtual exit

  static FlowGraph of(const Program &program);
  uint32_t exit() const { return static_cast<uint32_t>(successors.size() - 1); }
  std::vector<std::vector<uint32_t>> predecessors() const;
};

} // namespace lanescope::core::emulator
