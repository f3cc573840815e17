// The families of primitives (Primitives.h) for matrix products.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> accumulatorPrimitives(); // Accumulators.cpp: wgmma
std::span<const GpuPrimitive> mmaPrimitives();         // GpuMma.cpp
std::span<const GpuPrimitive> tcgen05Primitives();     // GpuTcgen05.cpp

} // namespace lanescope::repl
