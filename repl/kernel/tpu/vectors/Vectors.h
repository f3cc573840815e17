// The families of primitives (Primitives.h) for vectors, beside those of repl/kernel/functions.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

namespace lanescope::repl {

std::span<const TpuPrimitive> tpuLanePrimitives();    // TpuLanes.cpp: scans, sorts, counts
std::span<const TpuPrimitive> tpuPackingPrimitives(); // Packing.cpp: bits in other widths, parts, rearrangements

/// The builtin `PackFormat`.
Builtins tpuVectorBuiltins();

} // namespace lanescope::repl
