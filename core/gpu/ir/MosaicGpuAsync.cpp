// Verifiers of prefetches and cluster references.
#include "core/gpu/ir/MosaicGpuAsync.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallSet.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuAsyncOps.cpp.inc"

namespace lanescope::core {

bool isClusterMemory(mlir::MemRefType type) {
  return mlir::isa_and_nonnull<mosaic_gpu::SmemClusterAttr>(type.getMemorySpace());
}

mlir::MemRefType inCluster(mlir::MemRefType type) {
  return mlir::MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(),
                               mosaic_gpu::SmemClusterAttr::get(type.getContext()));
}

namespace mosaic_gpu {

using mlir::LogicalResult;
using mlir::MemRefType;

LogicalResult AsyncPrefetchOp::verify() {
  auto source = mlir::cast<MemRefType>(getSource().getType());
  if (!isGlobalMemory(source))
    return emitOpError("expects the sliced reference in global memory, got ") << source;
  llvm::ArrayRef<int64_t> lengths = getSliceLengths();
  if (static_cast<int64_t>(lengths.size()) != source.getRank() || getIndices().size() != lengths.size())
    return emitOpError("has ") << getIndices().size() << " indices and " << lengths.size()
                               << " slice lengths for a reference of rank " << source.getRank();
  for (int64_t length : lengths)
    if (length < -1)
      return emitOpError("has the slice length ") << length << ", expected a length, or -1 for a single index";
  llvm::SmallSet<int64_t, 3> dims;
  for (mlir::Attribute dim : getCollective())
    if (!dims.insert(mlir::cast<mlir::IntegerAttr>(dim).getInt()).second)
      return emitOpError("lists a cluster dimension twice in `collective`");
  return mlir::success();
}

LogicalResult GetClusterRefOp::verify() {
  auto source = mlir::cast<MemRefType>(getSource().getType()), result = mlir::cast<MemRefType>(getResult().getType());
  if (!isSharedMemory(source))
    return emitOpError("expects a reference in shared memory, got ") << source;
  if (result != inCluster(source))
    return emitOpError("gives ") << result << ", expected " << inCluster(source);
  return mlir::success();
}

} // namespace mosaic_gpu
} // namespace lanescope::core
