// The primitives that kernels of any target have, with one file per family.
#pragma once

#include "repl/kernel/trace/Primitives.h"

namespace lanescope::repl {

std::span<const Primitive> mathPrimitives();      // Math.cpp
std::span<const Primitive> compoundPrimitives();  // Compound.cpp: composed of several operations
std::span<const Primitive> shapePrimitives();     // Shapes.cpp: creating, repeating, reshaping and joining arrays
std::span<const Primitive> reductionPrimitives(); // Reductions.cpp
std::span<const Primitive> probePrimitives();     // Probes.cpp: regions and prints

/// Error unless the format, argument 0, has one `{}` field for each of `values` values.
Result<void> checkFields(const BoundArguments &args, const std::string &format, size_t values);

} // namespace lanescope::repl
