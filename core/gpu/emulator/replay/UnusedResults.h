// Finds the atomics of global memory whose results no instruction reads. Nothing in their thread depends on when they
// are performed, so they may be performed after later accesses of the thread to other addresses.
//
//   red.global.add.u32 [x], 1;             // no result
//   atom.global.add.u32 %r1, [x], 1;       // the same, if no instruction reads %r1: nvcc writes `atomicAdd(x, 1);` so
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <vector>

namespace lanescope::core::emulator {

/// By pc. A register counts as read if any instruction reads a register of that name.
std::vector<bool> atomicsWithUnusedResults(const Program &program);

} // namespace lanescope::core::emulator
