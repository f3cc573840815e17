// Registration of the `mosaic_gpu` dialect and its barrier type.
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/MosaicGpuRegions.h"
#include "core/gpu/ir/MosaicGpuTensor.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "core/gpu/ir/MosaicGpuDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "core/gpu/ir/MosaicGpuTypes.cpp.inc"

namespace lanescope::core {

bool isSharedMemory(mlir::MemRefType type) {
  auto space = mlir::dyn_cast_or_null<mlir::gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == mlir::gpu::AddressSpace::Workgroup;
}

bool isTensorMemory(mlir::MemRefType type) {
  return mlir::isa_and_nonnull<mosaic_gpu::TmemAttr>(type.getMemorySpace());
}

bool isGlobalMemory(mlir::MemRefType type) { return !type.getMemorySpace(); }

mlir::Attribute sharedMemorySpace(mlir::MLIRContext *context) {
  return mlir::gpu::AddressSpaceAttr::get(context, mlir::gpu::AddressSpace::Workgroup);
}

namespace mosaic_gpu {

void MosaicGpuDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/gpu/ir/MosaicGpuTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/MosaicGpuOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/MosaicGpuAsyncOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/MosaicGpuTensorOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/gpu/ir/MosaicGpuRegionOps.cpp.inc"
      >();
}

} // namespace mosaic_gpu
} // namespace lanescope::core
