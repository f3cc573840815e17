// Registration of the `tpu` dialect, and the memories and cores of its types and functions.
#include "core/tpu/ir/Tpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "core/tpu/ir/TpuDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "core/tpu/ir/TpuTypes.cpp.inc"

namespace lanescope::core::tpu {

void TpuDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/tpu/ir/TpuTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "core/tpu/ir/TpuOps.cpp.inc"
      >();
}

CoreType coreTypeOf(mlir::Operation *op) {
  for (mlir::Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (auto type = parent->getAttrOfType<CoreTypeAttr>(kCoreType))
      return type.getValue();
  return CoreType::Tc;
}

std::optional<MemorySpace> memorySpaceOf(mlir::MemRefType type) {
  auto space = mlir::dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return space ? std::optional(space.getValue()) : std::nullopt;
}

std::optional<CoreType> ownerOf(mlir::MemRefType type) {
  auto space = mlir::dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return space ? space.getCoreType() : std::nullopt;
}

bool isIn(mlir::MemRefType type, MemorySpace space) { return memorySpaceOf(type) == space; }

std::optional<IndirectCopy> indirectCopyOf(mlir::MemRefType source, mlir::MemRefType target) {
  // For a SparseCore, the VMEM of a TensorCore is shared memory.
  auto indexed = [](mlir::MemRefType type) {
    return isIn(type, MemorySpace::Hbm) || isIn(type, MemorySpace::VmemShared) ||
           (isIn(type, MemorySpace::Vmem) && ownerOf(type) == CoreType::Tc);
  };
  if (indexed(source) && isIn(target, MemorySpace::Vmem))
    return IndirectCopy::Gather;
  if (isIn(source, MemorySpace::Vmem) && indexed(target))
    return IndirectCopy::Scatter;
  return std::nullopt;
}

std::optional<llvm::SmallVector<unsigned>> squeezedDimensions(llvm::ArrayRef<int64_t> from,
                                                              llvm::ArrayRef<int64_t> to) {
  llvm::SmallVector<unsigned> dropped;
  size_t left = to.size();
  for (size_t d = from.size(); d-- > 0;) {
    if (left > 0 && from[d] == to[left - 1])
      --left;
    else if (from[d] == 1)
      dropped.insert(dropped.begin(), static_cast<unsigned>(d));
    else
      return std::nullopt;
  }
  return left == 0 ? std::optional(dropped) : std::nullopt;
}

} // namespace lanescope::core::tpu
