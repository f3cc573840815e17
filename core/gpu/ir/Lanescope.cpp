// Registration of the `lanescope` dialect.
#include "core/gpu/ir/DeviceOps.h"
#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/WarpOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "core/gpu/ir/LanescopeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "core/gpu/ir/LanescopeOps.cpp.inc"
#define GET_OP_CLASSES
#include "core/gpu/ir/DeviceOps.cpp.inc"
#define GET_OP_CLASSES
#include "core/gpu/ir/LaunchOps.cpp.inc"
#define GET_OP_CLASSES
#include "core/gpu/ir/WarpOps.cpp.inc"

void lanescope::core::statements::LanescopeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/LanescopeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/DeviceOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/LaunchOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/WarpOps.cpp.inc"
      >();
}

mlir::LogicalResult lanescope::core::statements::WgmmaWaitOp::verify() {
  if (getAccumulators().getTypes() != getValues().getTypes())
    return emitOpError("passes its operands on, so its results must have their types");
  return mlir::success();
}

static mlir::LogicalResult checkShared(mlir::Operation *op, mlir::Type type) {
  if (!lanescope::core::isGlobalMemory(mlir::cast<mlir::MemRefType>(type)))
    return op->emitOpError("leads to other devices, which share only global memory, got ") << type;
  return mlir::success();
}

mlir::LogicalResult lanescope::core::statements::PeerRefOp::verify() { return checkShared(*this, getRef().getType()); }
mlir::LogicalResult lanescope::core::statements::MulticastRefOp::verify() {
  return checkShared(*this, getRef().getType());
}
