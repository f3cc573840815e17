// Loops and branches. The caller's callbacks emit the bodies, with the insertion point inside of them. A construct
// whose body fails or is dropped is erased with all its contents.
#include "core/build/BuilderImpl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core {

namespace {

llvm::SmallVector<mlir::Value> unwrapAll(const KernelBuilder::Values &values) {
  llvm::SmallVector<mlir::Value> out;
  for (const IrValue &value : values)
    out.push_back(unwrap(value));
  return out;
}

KernelBuilder::Values wrapAll(mlir::ValueRange values, const KernelBuilder::Values &models) {
  KernelBuilder::Values out;
  for (auto [value, model] : llvm::zip(values, models))
    out.push_back(wrapLike(value, model));
  return out;
}

} // namespace

Result<KernelBuilder::MaybeValues> KernelBuilder::forLoop(const IrValue &lower, const IrValue &upper,
                                                          const IrValue &step, const Values &initial,
                                                          const ForBody &body) {
  auto &builder = impl_->builder;
  mlir::Location place = impl_->location;
  auto restore = impl_->checkpoint();
  auto loop = impl_->create<mlir::scf::ForOp>(unwrap(lower), unwrap(upper), unwrap(step), unwrapAll(initial));
  mlir::Block *block = loop.getBody();
  if (initial.empty())
    block->getTerminator()->erase(); // MLIR adds it if no values are carried
  builder.setInsertionPointToEnd(block);
  auto results = body(wrapLike(loop.getInductionVar(), lower), wrapAll(loop.getRegionIterArgs(), initial));
  impl_->location = place;
  builder.setInsertionPointAfter(loop);
  if (!results || !*results) {
    loop.erase();
    restore();
    return results;
  }
  builder.setInsertionPointToEnd(block);
  impl_->create<mlir::scf::YieldOp>(unwrapAll(**results));
  builder.setInsertionPointAfter(loop);
  return wrapAll(loop.getResults(), initial);
}

Result<KernelBuilder::MaybeValues> KernelBuilder::whileLoop(const Values &initial, const WhileCondition &condition,
                                                            const WhileBody &body) {
  auto &builder = impl_->builder;
  mlir::Location place = impl_->location;
  auto restore = impl_->checkpoint();
  llvm::SmallVector<mlir::Value> values = unwrapAll(initial);
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> places(values.size(), place);
  for (mlir::Value value : values)
    types.push_back(value.getType());
  auto loop = impl_->create<mlir::scf::WhileOp>(types, values);
  mlir::Block *before = builder.createBlock(&loop.getBefore(), {}, types, places);
  mlir::Block *after = builder.createBlock(&loop.getAfter(), {}, types, places);

  auto drop = [&](auto result) -> Result<MaybeValues> {
    builder.setInsertionPointAfter(loop);
    impl_->location = place;
    loop.erase();
    restore();
    return result;
  };
  builder.setInsertionPointToEnd(before);
  auto decided = condition(wrapAll(before->getArguments(), initial));
  if (!decided)
    return drop(Result<MaybeValues>(std::unexpected(decided.error())));
  impl_->location = place;
  impl_->create<mlir::scf::ConditionOp>(unwrap(*decided), mlir::ValueRange(before->getArguments()));

  builder.setInsertionPointToEnd(after);
  auto results = body(wrapAll(after->getArguments(), initial));
  if (!results || !*results)
    return drop(std::move(results));
  impl_->location = place;
  impl_->create<mlir::scf::YieldOp>(unwrapAll(**results));
  builder.setInsertionPointAfter(loop);
  return wrapAll(loop.getResults(), initial);
}

Result<KernelBuilder::Values> KernelBuilder::ifElse(const IrValue &condition, const Branch &whenTrue,
                                                    const Branch &whenFalse, const Yields &yields) {
  auto &builder = impl_->builder;
  mlir::Location place = impl_->location;
  // The results' types are known only after both branches. The branches are emitted under a placeholder, then moved.
  auto draft = impl_->create<mlir::scf::IfOp>(mlir::TypeRange{}, unwrap(condition), /*addThenBlock=*/true,
                                              /*addElseBlock=*/true);
  auto fail = [&](Diagnostics problems) -> Result<Values> {
    builder.setInsertionPointAfter(draft);
    impl_->location = place;
    draft.erase();
    return std::unexpected(std::move(problems));
  };
  for (bool branch : {true, false}) {
    builder.setInsertionPointToEnd(branch ? draft.thenBlock() : draft.elseBlock());
    impl_->location = place;
    if (auto done = branch ? whenTrue() : whenFalse(); !done)
      return fail(done.error());
  }
  Values models;
  for (bool branch : {true, false}) {
    builder.setInsertionPointToEnd(branch ? draft.thenBlock() : draft.elseBlock());
    impl_->location = place;
    auto values = yields(branch);
    if (!values)
      return fail(values.error());
    impl_->create<mlir::scf::YieldOp>(unwrapAll(*values));
    if (branch)
      models = *std::move(values);
  }
  builder.setInsertionPointAfter(draft);
  impl_->location = place;
  llvm::SmallVector<mlir::Type> types;
  for (const IrValue &value : models)
    types.push_back(unwrap(value).getType());
  auto branches = impl_->create<mlir::scf::IfOp>(types, unwrap(condition), /*addThenBlock=*/false,
                                                 /*addElseBlock=*/false);
  branches.getThenRegion().takeBody(draft.getThenRegion());
  branches.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  builder.setInsertionPointAfter(branches);
  return wrapAll(branches.getResults(), models);
}

} // namespace lanescope::core
