// The primitives that kernels of any target have, a family a file.
#pragma once

#include "repl/kernel/trace/Primitives.h"

namespace lanescope::repl {

std::span<const Primitive> mathPrimitives();      // Math.cpp
std::span<const Primitive> compoundPrimitives();  // Compound.cpp: made of several operations
std::span<const Primitive> shapePrimitives();     // Shapes.cpp: arrays made, repeated, reshaped, joined
std::span<const Primitive> reductionPrimitives(); // Reductions.cpp
std::span<const Primitive> probePrimitives();     // Probes.cpp: regions and prints

/// Error unless the format, argument 0, has a `{}` field for each of so many values.
Result<void> checkFields(const BoundArguments &args, const std::string &format, size_t values);

} // namespace lanescope::repl
