// The primitives that kernels of any target have, with one file per family.
#pragma once

#include "repl/kernel/trace/Primitives.h"

namespace lanescope::repl {

std::span<const Primitive> mathPrimitives();      // KernelMath.cpp
std::span<const Primitive> compoundPrimitives();  // Compound.cpp: composed of several operations
std::span<const Primitive> shapePrimitives();     // KernelShapes.cpp: creating, repeating, reshaping and joining arrays
std::span<const Primitive> reductionPrimitives(); // KernelReductions.cpp
std::span<const Primitive> probePrimitives();     // KernelProbes.cpp: regions and prints

/// Error unless the format, argument 0, has one `{}` field for each of `values` values.
Result<void> checkFields(const BoundArguments &args, const std::string &format, size_t values);

} // namespace lanescope::repl
