// The location of a function that LLVM writes line tables for.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace lanescope::core {

/// Line tables only: PTX gets `.loc` directives and no debug sections. `name` is the function's.
mlir::Location functionLocation(mlir::Location location, mlir::StringAttr name);

} // namespace lanescope::core
