// The windows that block specs make: before each step of a grid the block of each operand that the step needs is copied
// to the subcore's memory, and after it what the kernel wrote goes back. The compiler makes a pipeline of that; what it
// does to memory is this (JAX, pallas: "grid and BlockSpecs"; `sc.indexed_by` as the seed's block spec has it).
//
// A window whose block is the same as in the step before stays as it is. Blocks that reach beyond their array are cut
// off; one that begins beyond it counts on in the array's memory, as addresses do.
#pragma once

#include "core/tpu/emulator/Memory.h"

namespace lanescope::core::sparsecore {

struct Machine;
struct Subcore;

struct Window {
  uint32_t operand = 0;
  Buffer *array = nullptr, *block = nullptr;
  bool input = false, output = false;
  std::vector<int64_t> start;             // of the block, in elements; empty: none yet
  std::vector<std::vector<int64_t>> rows; // of an indexed operand: the start of each row
  size_t indexedDimension = 0;
};
struct WindowState {
  std::vector<Window> windows;
};

/// Before the step that Subcore::gridIndex names, and after the last one. False: a fault.
bool enterStep(Machine &m, Subcore &s);
bool leaveSteps(Machine &m, Subcore &s);

} // namespace lanescope::core::sparsecore
