// Prefetches and references to other blocks' shared memory in the `mosaic_gpu` dialect (see MosaicGpuAsyncOps.td).
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuAsyncOps.h.inc"

namespace lanescope::core {

/// The reference is in the shared memory of a block of the cluster (`#mosaic_gpu.smem_cluster`), maybe another one.
bool isClusterMemory(mlir::MemRefType type);
/// The type of `type`'s counterpart in another block.
mlir::MemRefType inCluster(mlir::MemRefType type);

} // namespace lanescope::core
