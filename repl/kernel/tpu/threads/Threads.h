// The families of primitives (Primitives.h) for grids, meshes, semaphores and loops.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

namespace lanescope::repl {

std::span<const TpuPrimitive> tpuAxisPrimitives();      // Axes.cpp: places in grid and mesh, barriers, logs
std::span<const TpuPrimitive> tpuSemaphorePrimitives(); // Semaphores.cpp
std::span<const TpuPrimitive> tpuLoopPrimitives();      // Loops.cpp

} // namespace lanescope::repl
