// Warp-level code: the body of `lanescope.warps`, which each warp of the warpgroup runs on its own.
//
// During its lowering `KernelLowering::inWarps` is true: `elected` is one lane of the warp and `warpgroupBarrier` a
// barrier of the warp, so the code for copies and waits works here, too. Counts of mbarriers are in threads of whole
// warpgroups, so a warp arrives for 128 threads.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// True if the barrier counts arrivals of single threads, and orders the tensor core's work.
bool ordersTensorCore(mlir::Value barrier);

/// One lane arrives for the warp, with as many arrivals as a warpgroup has. The arrival adds `bytes` (i32, null: none)
/// to the phase's expected bytes.
void arriveAsWarp(KernelLowering &k, mlir::Value barrier, mlir::Value bytes);

void addWarps(HandlerTable &table);

} // namespace lanescope::core
