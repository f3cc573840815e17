// The array functions of a GPU's kernels beyond repl/kernel/functions.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> layoutPrimitives();    // Layouts.cpp
std::span<const GpuPrimitive> inlinePtxPrimitives(); // InlinePtx.cpp

} // namespace lanescope::repl
