// Prefetches and references to other blocks' shared memory in the `mosaic_gpu` dialect (see MosaicGpuAsyncOps.td).
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuAsyncOps.h.inc"

namespace lanescope::core {

/// True if the reference is in the shared memory of a block of the cluster (`#mosaic_gpu.smem_cluster`), maybe of
/// another block.
bool isClusterMemory(mlir::MemRefType type);
/// The type of a reference of `type` in the shared memory of another block.
mlir::MemRefType inCluster(mlir::MemRefType type);

} // namespace lanescope::core
