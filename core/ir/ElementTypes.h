// Element types of IR as the dtypes of snippets.
#pragma once

#include "layouts/Dtype.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace lanescope::core {

/// Integers without a sign count as signed. nullopt for a type that no array has.
std::optional<layouts::Dtype> dtypeOf(mlir::Type type);

} // namespace lanescope::core
