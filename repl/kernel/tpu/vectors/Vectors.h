// The families of primitives that this room has.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

namespace lanescope::repl {

std::span<const TpuPrimitive> tpuLanePrimitives();    // Lanes.cpp: scans, sorts, counts
std::span<const TpuPrimitive> tpuPackingPrimitives(); // Packing.cpp: bits in other widths, parts, rearrangements

/// `PackFormat`
Builtins tpuVectorBuiltins();

} // namespace lanescope::repl
