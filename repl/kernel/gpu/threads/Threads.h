// // The families of primitives (Primitives.h) for axes, warps and barriers.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> axisPrimitives();         // Axes.cpp: places in grid, cluster and block
std::span<const GpuPrimitive> warpPrimitives();         // Warps.cpp: warp-level code, other kernels
std::span<const GpuPrimitive> barrierPrimitives();      // Barriers.cpp
std::span<const GpuPrimitive> namedBarrierPrimitives(); // NamedBarriers.cpp
std::span<const GpuPrimitive> semaphorePrimitives();    // Semaphores.cpp
/// The builtin `WarpMesh`, which also exists outside kernels.
Builtin warpMeshBuiltin();

} // namespace lanescope::repl
