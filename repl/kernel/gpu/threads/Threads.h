// Who runs, and how they meet: the families of this room.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> axisPrimitives();         // Axes.cpp: places in grid, cluster and block
std::span<const GpuPrimitive> warpPrimitives();         // Warps.cpp: warps by themselves, other kernels
std::span<const GpuPrimitive> barrierPrimitives();      // Barriers.cpp
std::span<const GpuPrimitive> namedBarrierPrimitives(); // NamedBarriers.cpp
std::span<const GpuPrimitive> semaphorePrimitives();    // Semaphores.cpp
/// `WarpMesh`, which exists outside of kernels too.
Builtin warpMeshBuiltin();

} // namespace lanescope::repl
