// Finds the start of a window: runs the function made from a block spec's index map at a place of the grid.
#pragma once

#include "core/tpu/emulator/TpuMachine.h"

namespace lanescope::core::sparsecore {

/// The first element of the operand's block, one index per dimension; zeros if the window is the whole array. Returns
/// false on a fault.
bool windowStart(Machine &m, const Function &kernel, const Operand &operand, const std::vector<int64_t> &gridIndex,
                 std::vector<int64_t> &start);

} // namespace lanescope::core::sparsecore
