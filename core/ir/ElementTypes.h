// Element types of IR as the dtypes of snippets.
#pragma once

#include "layouts/Dtype.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace lanescope::core {

/// Integers without a sign count as signed. nullopt for a type that no array has.
std::optional<layouts::Dtype> dtypeOf(mlir::Type type);

/// The bits that an integer or a float takes in memory and in registers: its width, and a byte for elements of 6 bits.
int storageBits(mlir::Type element);

} // namespace lanescope::core
