// Warp-level code: the body of `lanescope.warps`, which each warp of the warpgroup runs by itself.
//
// While it is lowered `KernelLowering::inWarps` holds: `elected` is one lane of the warp and `warpgroupBarrier` a
// barrier of the warp, so copies and waits lower as elsewhere. Counts of mbarriers are in threads of whole warpgroups:
// a warp arrives for 128.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// The barrier counts arrivals of single threads, and orders what the tensor core does.
bool ordersTensorCore(mlir::Value barrier);

/// The warp arrives as a warpgroup does, by one lane; `bytes` (i32, null: none) are added to what the phase waits for.
void arriveAsWarp(KernelLowering &k, mlir::Value barrier, mlir::Value bytes);

void addWarps(HandlerTable &table);

} // namespace lanescope::core
