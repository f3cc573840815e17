// // The families of primitives (Primitives.h) for axes, warps and barriers.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> axisPrimitives();         // GpuAxes.cpp: places in grid, cluster and block
std::span<const GpuPrimitive> warpPrimitives();         // GpuWarps.cpp: warp-level code, other kernels
std::span<const GpuPrimitive> barrierPrimitives();      // GpuBarriers.cpp
std::span<const GpuPrimitive> namedBarrierPrimitives(); // GpuNamedBarriers.cpp
std::span<const GpuPrimitive> semaphorePrimitives();    // GpuSemaphores.cpp
/// The builtin `WarpMesh`, which also exists outside kernels.
Builtin warpMeshBuiltin();

} // namespace lanescope::repl
