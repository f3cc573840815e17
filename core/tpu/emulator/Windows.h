// The windows of block specs. Before each step of a grid, the block of each operand that the step needs is copied to
// the subcore's memory; after the step, the blocks that the kernel wrote are copied back. The compiler turns these
// copies into a pipeline, whose effect on memory is the same (JAX, pallas: "grid and BlockSpecs"; `sc.indexed_by` as
// the seed's block spec has it).
//
// A window whose block is the same as in the step before is not copied again. Blocks that extend beyond their array are
// cut off. A block that begins beyond it addresses the memory after the array.
#pragma once

#include "core/tpu/emulator/TpuBuffers.h"

namespace lanescope::core::sparsecore {

struct Machine;
struct Subcore;

struct Window {
  uint32_t operand = 0;
  Buffer *array = nullptr, *block = nullptr;
  bool input = false, output = false;
  std::vector<int64_t> start;             // the block's start, in elements; empty before the first step
  std::vector<std::vector<int64_t>> rows; // for an indexed operand, the start of each row
  size_t indexedDimension = 0;
};
struct WindowState {
  std::vector<Window> windows;
};

/// Moves the windows before the step at Subcore::gridIndex, and after the last step. Returns false on a fault.
bool enterStep(Machine &m, Subcore &s);
bool leaveSteps(Machine &m, Subcore &s);

} // namespace lanescope::core::sparsecore
