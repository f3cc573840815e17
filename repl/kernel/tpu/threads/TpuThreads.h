// The families of primitives (Primitives.h) for grids, meshes, semaphores and loops.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

namespace lanescope::repl {

std::span<const TpuPrimitive> tpuAxisPrimitives();      // TpuAxes.cpp: places in grid and mesh, barriers, logs
std::span<const TpuPrimitive> tpuSemaphorePrimitives(); // TpuSemaphores.cpp
std::span<const TpuPrimitive> tpuLoopPrimitives();      // TpuLoops.cpp

} // namespace lanescope::repl
