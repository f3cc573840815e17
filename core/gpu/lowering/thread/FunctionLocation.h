// The location of a function, for which LLVM writes line tables.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace lanescope::core {

/// Requests line tables only: PTX gets `.loc` directives and no debug sections. `name`: the function's name.
mlir::Location functionLocation(mlir::Location location, mlir::StringAttr name);

} // namespace lanescope::core
