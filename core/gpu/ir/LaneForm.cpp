#include "core/gpu/ir/LaneForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/STLExtras.h"

namespace lanescope::core {

static bool isOfWarpgroups(mlir::Operation *op) {
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "mosaic_gpu" || dialect == "lanescope")
    return true;
  return llvm::any_of(op->getDiscardableAttrs(), [](mlir::NamedAttribute attribute) {
    llvm::StringRef name = attribute.getName().strref();
    return name.starts_with("lanescope.") || name == "in_layouts" || name == "out_layouts" || name == "in_transforms" ||
           name == "out_transforms" || name == "in_tmem_layouts" || name == "out_tmem_layouts";
  });
}

bool isLaneForm(mlir::ModuleOp module) {
  bool threads = false;
  auto walked = module.walk([&](mlir::Operation *op) {
    llvm::StringRef dialect = op->getName().getDialectNamespace();
    threads |= dialect == "nvvm" || dialect == "gpu";
    return isOfWarpgroups(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return threads && !walked.wasInterrupted();
}

} // namespace lanescope::core
