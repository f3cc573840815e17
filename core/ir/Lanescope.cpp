// Registration of the `lanescope` dialect.
#include "core/ir/Lanescope.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "core/ir/LanescopeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "core/ir/LanescopeOps.cpp.inc"

void lanescope::core::statements::LanescopeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "core/ir/LanescopeOps.cpp.inc"
      >();
}
