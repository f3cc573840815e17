// Copies without TMA: every thread of the warpgroup, or of the warp, moves its pieces (CopyPieces.h).
#pragma once

#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// Stores a slice of shared memory into `global`, for targets without TMA. The stores are complete for the threads that
/// made them, so they need no group. Fails, with an error at the operation, for copies that combine.
mlir::LogicalResult storeByThreads(KernelLowering &k, mosaic_gpu::AsyncStoreOp store, const Ref &global);

void addCpAsync(HandlerTable &table);

} // namespace lanescope::core
