// Verifiers and layout rules of operations with a region.
#include "core/gpu/ir/MosaicGpuRegions.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

namespace lanescope::core::mosaic_gpu {

/// Arrays enter and leave in the layouts that the operation lists. References keep their own transforms; the listed
/// ones are for the code inside.
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

/// Moves a cast of a reference out of the body if all uses in the body go through the same cast.
static LogicalResult castOutside(WarpMapOp map, mlir::PatternRewriter &rewriter) {
  bool changed = false;
  for (auto [operand, argument] : llvm::zip_equal(map->getOpOperands(), map.getBody().front().getArguments())) {
    auto users = llvm::to_vector(argument.getUsers());
    auto isCast = [&](mlir::Operation *user) {
      return mlir::isa<ReinterpretCastOp>(user) && user->getResultTypes() == users.front()->getResultTypes();
    };
    if (users.empty() || !llvm::all_of(users, isCast))
      continue;
    mlir::Type type = users.front()->getResult(0).getType();
    auto cast = ReinterpretCastOp::create(rewriter, map.getLoc(), type, operand.get());
    rewriter.modifyOpInPlace(map, [&, &operand = operand, &argument = argument] {
      operand.set(cast);
      argument.setType(type);
    });
    for (mlir::Operation *user : users)
      rewriter.replaceOp(user, argument);
    changed = true;
  }
  return mlir::success(changed);
}

void WarpMapOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(castOutside);
}

LogicalResult CustomPrimitiveOp::verify() {
  if (getBody().empty())
    // An empty body whose contents are added later; JAX's tests of inference have such operations.
    return mlir::success();
  auto arrays = [](mlir::TypeRange types) {
    return static_cast<size_t>(llvm::count_if(types, llvm::IsaPred<VectorType>));
  };
  auto isShared = [](mlir::Type type) {
    auto ref = mlir::dyn_cast<mlir::MemRefType>(type);
    return ref && isSharedMemory(ref); // barriers as well
  };
  auto references = static_cast<size_t>(llvm::count_if(getOperandTypes(), isShared));
  if (getInLayouts().size() != arrays(getOperandTypes()))
    return emitOpError("has ") << getInLayouts().size() << " layouts for " << arrays(getOperandTypes()) << " arrays";
  if (getInTransforms().size() != references)
    return emitOpError("has ") << getInTransforms().size() << " transforms for " << references
                               << " references in shared memory";
  if (getOutLayouts().size() != arrays(getResultTypes()))
    return emitOpError("has ") << getOutLayouts().size() << " layouts for " << arrays(getResultTypes()) << " results";
  for (mlir::Type type : getResultTypes())
    if (mlir::isa<mlir::ShapedType>(type) && !mlir::isa<VectorType>(type))
      return emitOpError("gives numbers and arrays, not ") << type;
  if (getBody().front().empty() || !mlir::isa<ReturnOp>(getBody().front().back()))
    return emitOpError("has a body that does not end with `mosaic_gpu.return`");
  return mlir::success();
}

LogicalResult ReturnOp::verify() {
  if (getOperandTypes() != (*this)->getParentOp()->getResultTypes())
    return emitOpError("gives other types than the operation around it");
  return mlir::success();
}

} // namespace lanescope::core::mosaic_gpu
