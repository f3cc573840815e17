// The array functions of a GPU's kernels beyond repl/kernel/functions.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> layoutPrimitives();    // GpuLayouts.cpp
std::span<const GpuPrimitive> inlinePtxPrimitives(); // GpuInlinePtx.cpp

} // namespace lanescope::repl
