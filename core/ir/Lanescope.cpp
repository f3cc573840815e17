// Registration of the `lanescope` dialect.
#include "core/ir/LaunchOps.h"
#include "core/ir/WarpOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "core/ir/LanescopeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "core/ir/LanescopeOps.cpp.inc"
#define GET_OP_CLASSES
#include "core/ir/LaunchOps.cpp.inc"
#define GET_OP_CLASSES
#include "core/ir/WarpOps.cpp.inc"

void lanescope::core::statements::LanescopeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "core/ir/LanescopeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/ir/LaunchOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/ir/WarpOps.cpp.inc"
      >();
}

mlir::LogicalResult lanescope::core::statements::WgmmaWaitOp::verify() {
  if (getAccumulators().getTypes() != getValues().getTypes())
    return emitOpError("passes its operands on, so its results must have their types");
  return mlir::success();
}
