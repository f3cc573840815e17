// Where a window begins: the function that a block spec's index map became, run at a place of the grid.
#pragma once

#include "core/tpu/emulator/Machine.h"

namespace lanescope::core::sparsecore {

/// The first element of the operand's block, one index a dimension; zeros where it has the whole array. False: a fault.
bool windowStart(Machine &m, const Function &kernel, const Operand &operand, const std::vector<int64_t> &gridIndex,
                 std::vector<int64_t> &start);

} // namespace lanescope::core::sparsecore
