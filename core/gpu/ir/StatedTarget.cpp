#include "core/gpu/ir/StatedTarget.h"

#include "layouts/support/Text.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace lanescope::core {

static std::optional<int> number(mlir::Attribute attribute) {
  auto integer = mlir::dyn_cast_or_null<mlir::IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(32))
    return std::nullopt;
  return static_cast<int>(integer.getInt());
}

std::optional<ComputeCapability> statedCapability(mlir::ModuleOp module) {
  auto major = number(module->getAttr("mosaic_gpu.arch_major"));
  mlir::Attribute minor = module->getAttr("mosaic_gpu.arch_minor");
  auto minorNumber = minor ? number(minor) : 0;
  if (!major || !minorNumber)
    return std::nullopt;
  return ComputeCapability{*major, *minorNumber};
}

const GpuTarget &machineOf(mlir::ModuleOp module) {
  auto stated = statedCapability(module);
  if (!stated)
    return defaultGpuTarget();
  const GpuTarget *own = findGpuTarget(stated->major, stated->minor);
  return own ? *own : machineFor(text("sm_", stated->major, stated->minor));
}

} // namespace lanescope::core
