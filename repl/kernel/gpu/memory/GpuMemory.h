// // The families of primitives (Primitives.h) that read, write and copy memory.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> refPrimitives();           // GpuRefs.cpp: load, store, atomics
std::span<const GpuPrimitive> copyPrimitives();          // GpuCopies.cpp
std::span<const GpuPrimitive> otherBlockPrimitives();    // OtherBlocks.cpp: shared memory of the cluster's other blocks
std::span<const GpuPrimitive> otherDevicePrimitives();   // OtherDevices.cpp: global memory of other devices
std::span<const GpuPrimitive> clusterCancelPrimitives(); // ClusterCancel.cpp: taking over work that no block has begun
std::span<const GpuPrimitive> printLayoutPrimitives();   // PrintLayout.cpp
/// CopyPartition.cpp: `CopyPartition`, which also exists outside kernels.
Builtin copyPartitionBuiltin();

} // namespace lanescope::repl
