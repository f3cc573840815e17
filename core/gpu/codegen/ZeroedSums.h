// If the sums of a product begin at zero, the kernel sets the instruction's flag for that, instead of moving zeros into
// all registers.
//
//   loop: %sum = phi [0, entry], [%next, loop]            %keep = phi [0, entry], [1, loop]
//         %next = wgmma(%sum, …)                    ->    %next = wgmma(undefined or the old sum, …, %keep)
//
// For a 64 x 256 sum, each thread moves 128 zeros fewer, and the driver's compiler has 128 copies fewer to remove.
#pragma once

#include "llvm/IR/Function.h"

namespace lanescope::core {

/// Works on optimised code, in which sums are in registers.
void flagZeroedSums(llvm::Function &function);

} // namespace lanescope::core
