// Verifiers and layout rules of operations with a region.
#include "core/gpu/ir/MosaicGpuRegions.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace lanescope::core::mosaic_gpu {

/// Arrays that come in and go out in the layouts that the operation lists. References keep their own transforms: what
/// the list says of them is for the code inside.
static void customPrimitiveRules(CustomPrimitiveOp op, LayoutRules &rules);

} // namespace lanescope::core::mosaic_gpu

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuRegionOps.cpp.inc"

namespace lanescope::core::mosaic_gpu {

using mlir::LogicalResult;
using mlir::VectorType;

static void customPrimitiveRules(CustomPrimitiveOp op, LayoutRules &rules) {
  auto demand = [&](LayoutSite site, mlir::ArrayAttr layouts, unsigned &next) {
    if (!mlir::isa<VectorType>(site.value.getType()))
      return;
    if (auto layout = toLayout(layouts[next++]))
      rules.oneOf(site, {*layout}, "an array of `custom_primitive`");
  };
  unsigned in = 0, out = 0;
  for (mlir::OpOperand &operand : op.getOperandsMutable())
    demand(operand, op.getInLayouts(), in);
  for (mlir::Value result : op.getResults())
    demand(result, op.getOutLayouts(), out);
}

LogicalResult WarpMapOp::verify() {
  for (mlir::Type type : getOperandTypes())
    if (mlir::isa<VectorType>(type))
      return emitOpError("has no arrays: they belong to the warpgroup, got ") << type;
  if (getBody().front().getArgumentTypes() != getOperandTypes())
    return emitOpError("has a body whose arguments differ from its operands");
  return mlir::success();
}

LogicalResult CustomPrimitiveOp::verify() {
  auto arrays = [](mlir::TypeRange types) {
    return static_cast<size_t>(llvm::count_if(types, llvm::IsaPred<VectorType>));
  };
  auto references = static_cast<size_t>(llvm::count_if(getOperandTypes(), hasTransforms));
  if (getInLayouts().size() != arrays(getOperandTypes()))
    return emitOpError("has ") << getInLayouts().size() << " layouts for " << arrays(getOperandTypes()) << " arrays";
  if (getInTransforms().size() != references)
    return emitOpError("has ") << getInTransforms().size() << " transforms for " << references
                               << " references in shared memory";
  if (getOutLayouts().size() != arrays(getResultTypes()))
    return emitOpError("has ") << getOutLayouts().size() << " layouts for " << arrays(getResultTypes()) << " results";
  for (mlir::Type type : getResultTypes())
    if (!mlir::isa<VectorType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("gives numbers and arrays, not ") << type;
  for (mlir::Block &block : getBody())
    if (auto end = mlir::dyn_cast<ReturnOp>(block.getTerminator()); end && end.getOperandTypes() != getResultTypes())
      return end.emitOpError("gives other types than the operation around it");
  return mlir::success();
}

} // namespace lanescope::core::mosaic_gpu
