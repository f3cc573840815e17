// Layout rules of MLIR's own operations, attached to their dialects as external models. An operation that is not here
// has no rule, so layout inference refuses a kernel that passes it an array.
#include "core/gpu/ir/LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lanescope::core {

using namespace mlir;

namespace {

//===--- numbers ---===//

void rulesOf(arith::ConstantOp op, LayoutRules &rules) {
  if (isa<SplatElementsAttr>(op.getValue()))
    rules.splat(op.getResult());
  else
    rules.notSplat(op.getResult());
}

void rulesOf(ub::PoisonOp op, LayoutRules &rules) { rules.splat(op.getResult()); }

//===--- arrays ---===//

/// Broadcasts a number, or an array that is a splat.
void rulesOf(vector::BroadcastOp op, LayoutRules &rules) {
  rules.splat(op.getSourceMutable());
  rules.splat(op.getResult());
}

/// Extracts one element, which every thread then has, or an array at a known place.
void rulesOf(vector::ExtractOp op, LayoutRules &rules) {
  if (isa<VectorType>(op.getType()))
    rules.part(op.getSourceMutable(), op.getResult(), /*leading=*/false);
  else
    rules.any(op.getSourceMutable());
}

void rulesOf(vector::MultiDimReductionOp op, LayoutRules &rules) {
  rules.reduction(op.getSourceMutable(), op.getDest(), op.getReductionDims());
  rules.relayoutOfConstant(op.getAccMutable(), op.getDest());
}

void rulesOf(vector::ShapeCastOp op, LayoutRules &rules) { rules.reshape(op.getSourceMutable(), op.getResult()); }

void rulesOf(vector::ExtractStridedSliceOp op, LayoutRules &rules) {
  rules.part(op.getSourceMutable(), op.getResult(), /*leading=*/false);
}

void rulesOf(vector::InsertStridedSliceOp op, LayoutRules &rules) {
  rules.equal({op.getDestMutable(), op.getResult()});
  rules.part(op.getResult(), op.getValueToStoreMutable(), /*leading=*/false);
}

//===--- variables of the warpgroup, and references ---===//

void rulesOf(memref::AllocaOp op, LayoutRules &rules) { rules.notSplat(op.getMemref()); }

void rulesOf(memref::LoadOp op, LayoutRules &rules) {
  if (isVariable(op.getMemRefType()))
    rules.equal({op.getMemrefMutable(), op.getResult()});
}

void rulesOf(memref::StoreOp op, LayoutRules &rules) {
  if (isVariable(op.getMemRefType()))
    rules.equal({op.getMemrefMutable(), op.getValueMutable()});
}

void rulesOf(memref::SubViewOp op, LayoutRules &rules) { rules.equal({op.getSourceMutable(), op.getResult()}); }

void rulesOf(memref::CastOp op, LayoutRules &rules) { rules.equal({op.getSourceMutable(), op.getDest()}); }

void rulesOf(UnrealizedConversionCastOp op, LayoutRules &rules) {
  if (op->getNumOperands() == 1 && op->getNumResults() == 1 && hasTransforms(op.getResult(0).getType()))
    rules.equalAll();
}

void rulesOf(memref::TransposeOp op, LayoutRules &rules) {
  llvm::SmallVector<unsigned> permutation;
  for (unsigned i = 0, rank = op.getPermutation().getNumResults(); i < rank; ++i)
    permutation.push_back(op.getPermutation().getDimPosition(i));
  rules.transpose(op.getInMutable(), op.getResult(), permutation);
}

void rulesOf(memref::ExpandShapeOp op, LayoutRules &rules) { rules.reshape(op.getSrcMutable(), op.getResult()); }

void rulesOf(memref::CollapseShapeOp op, LayoutRules &rules) { rules.reshape(op.getSrcMutable(), op.getResult()); }

//===--- control flow: a value has one layout on entry, at each iteration, and on exit ---===//

void rulesOf(scf::ForOp loop, LayoutRules &rules) {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    rules.equal({result, loop.getRegionIterArg(i), loop.getInitArgsMutable()[i], yield->getOpOperand(i)});
}

void rulesOf(scf::IfOp branch, LayoutRules &rules) {
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    rules.equal({result, branch.thenYield()->getOpOperand(i), branch.elseYield()->getOpOperand(i)});
}

void rulesOf(scf::IndexSwitchOp branch, LayoutRules &rules) {
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    llvm::SmallVector<LayoutSite, 4> sites{result};
    for (Region *region : branch.getRegions())
      sites.push_back(region->front().getTerminator()->getOpOperand(i));
    rules.equal(sites);
  }
}

void rulesOf(scf::WhileOp loop, LayoutRules &rules) {
  for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
    rules.equal({argument, loop.getInitsMutable()[i], loop.getYieldOp()->getOpOperand(i)});
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    rules.equal({result, loop.getAfterArguments()[i], loop.getConditionOp().getArgsMutable()[i]});
}

//===--- the models ---===//

template <typename Op> struct Model : LayoutRulesOpInterface::ExternalModel<Model<Op>, Op> {
  void layoutRules(Operation *op, LayoutRules &rules) const { rulesOf(cast<Op>(op), rules); }
};

struct Elementwise : LayoutRulesOpInterface::FallbackModel<Elementwise> {
  void layoutRules(Operation *, LayoutRules &rules) const { rules.equalAll(); }
};

template <typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void attachElementwise(MLIRContext *context, llvm::StringRef dialect) {
  // MLIR 22's getRegisteredOperationsByDialect does not return all operations.
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == dialect && name.hasTrait<OpTrait::Elementwise>())
      name.attachInterface<Elementwise>();
}

} // namespace

void registerLayoutRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) { attach<UnrealizedConversionCastOp>(context); });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachElementwise(context, "arith");
    attach<arith::ConstantOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) { attachElementwise(context, "math"); });
  registry.addExtension(+[](MLIRContext *context, ub::UBDialect *) { attach<ub::PoisonOp>(context); });
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    attach<vector::BroadcastOp, vector::ExtractOp, vector::MultiDimReductionOp, vector::ShapeCastOp,
           vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    attach<memref::AllocaOp, memref::LoadOp, memref::StoreOp, memref::SubViewOp, memref::CastOp, memref::TransposeOp,
           memref::ExpandShapeOp, memref::CollapseShapeOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attach<scf::ForOp, scf::IfOp, scf::IndexSwitchOp, scf::WhileOp>(context);
  });
}

} // namespace lanescope::core
