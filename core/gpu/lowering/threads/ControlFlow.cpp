// Lowers scf.for, scf.if, scf.index_switch and scf.while to blocks. A carried array is one block argument per register.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// The form in which a list of source values is passed between blocks: for each value the array's layout, or nothing
/// for a scalar.
struct Carried {
  SmallVector<Type> sourceTypes;
  SmallVector<std::optional<layouts::RegisterLayout>> layouts;

  SmallVector<Type> types(KernelLowering &k) const {
    SmallVector<Type> types;
    for (auto [type, layout] : llvm::zip_equal(sourceTypes, layouts)) {
      if (auto vector = dyn_cast<VectorType>(type))
        types.append(KernelLowering::registerCount(*layout, shapeOf(vector)),
                     std::holds_alternative<layouts::WGSplatFragLayout>(*layout)
                         ? k.registerElement(vector.getElementType())
                         : k.registerType(vector.getElementType(), *layout));
      else
        types.push_back(isa<LLVM::LLVMPointerType>(type) ? type : k.registerElement(type));
    }
    return types;
  }

  SmallVector<Value> flatten(KernelLowering &k, ValueRange values) const {
    SmallVector<Value> flat;
    for (auto [value, layout] : llvm::zip_equal(values, layouts)) {
      if (layout)
        llvm::append_range(flat, k.array(value, *layout).registers);
      else
        flat.push_back(k.scalar(value));
    }
    return flat;
  }

  /// Assigns the values that arrived in `flat` to `values`.
  void unpack(KernelLowering &k, ValueRange values, ValueRange flat) const {
    size_t at = 0;
    for (auto [value, layout] : llvm::zip_equal(values, layouts)) {
      if (!layout) {
        k.set(value, flat[at++]);
        continue;
      }
      RegisterArray array{*layout, shapeOf(cast<VectorType>(value.getType())), {}};
      for (int64_t n = KernelLowering::registerCount(*layout, array.shape); n > 0; --n)
        array.registers.push_back(flat[at++]);
      k.set(value, std::move(array));
    }
  }

  static layouts::Shape shapeOf(VectorType type) { return {type.getShape().begin(), type.getShape().end()}; }
};

FailureOr<Carried> carriedBy(KernelLowering &k, Operation *op, TypeRange types,
                             llvm::function_ref<std::optional<layouts::RegisterLayout>(unsigned)> layoutOf) {
  Carried carried;
  for (auto [i, type] : llvm::enumerate(types)) {
    carried.sourceTypes.push_back(type);
    std::optional<layouts::RegisterLayout> layout;
    if (isa<VectorType>(type)) {
      layout = layoutOf(i);
      if (!layout)
        return op->emitError("an array passes through this statement without a layout; run layout inference first");
    }
    Type element = getElementTypeOrSelf(type);
    bool held =
        isa<LLVM::LLVMPointerType>(type) ||
        (layout && !std::holds_alternative<layouts::WGSplatFragLayout>(*layout) ? k.registerType(element, *layout)
                                                                                : k.registerElement(element));
    if (!held)
      return op->emitError() << "a value of type `" << type << "` cannot be carried through a loop or a branch";
    carried.layouts.push_back(std::move(layout));
  }
  return carried;
}

/// True for stores of arrays and numbers, but not for those to a thread's own variables, such as the phases of
/// barriers.
bool mayWriteMemory(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return !store.getMemRef().getDefiningOp<memref::AllocaOp>();
  return op->getName().getStringRef() == "mosaic_gpu.vector_store";
}

/// Because the body may repeat, its start must assume that the stores of the previous iteration have run.
void assumeBodyRan(KernelLowering &k, Operation *loop) {
  loop->walk([&](Operation *op) { k.unsyncedStores |= mayWriteMemory(op); });
}

LogicalResult lowerFor(KernelLowering &k, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  auto carried = carriedBy(k, op, loop.getResultTypes(), [&](unsigned i) { return resultLayout(op, i); });
  if (failed(carried))
    return failure();
  Value lower = k.scalar(loop.getLowerBound()), upper = k.scalar(loop.getUpperBound());
  Value step = k.scalar(loop.getStep());
  SmallVector<Type> types = carried->types(k), withCounter{lower.getType()};
  llvm::append_range(withCounter, types);

  SmallVector<Value> start{lower};
  llvm::append_range(start, carried->flatten(k, loop.getInitArgs()));
  Block *header = k.newBlock(withCounter), *body = k.newBlock({});
  k.branch(header, start);
  k.enter(header);
  Block *exit = k.newBlock({});
  Value counter = header->getArgument(0);
  Value more = k.t.compare(loop.getUnsignedCmp() ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::slt, counter, upper);
  k.branchIf(more, body, {}, exit, {});
  SmallVector<Value> current(header->args_begin() + 1, header->args_end());

  k.enter(body);
  assumeBodyRan(k, op);
  k.set(loop.getInductionVar(), counter);
  carried->unpack(k, loop.getRegionIterArgs(), current);
  if (failed(k.lowerBlock(*loop.getBody())))
    return failure();
  k.t.setLocation(op->getLoc());
  SmallVector<Value> next{k.t.add(counter, step)};
  llvm::append_range(next, carried->flatten(k, loop.getBody()->getTerminator()->getOperands()));
  k.branch(header, next);

  k.enter(exit);
  assumeBodyRan(k, op);
  carried->unpack(k, loop.getResults(), current);
  return success();
}

/// True if the condition includes an election, so that it holds in at most one lane of a warp.
bool isOfOneThread(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isOfOneThread(both.getLhs()) || isOfOneThread(both.getRhs());
  return condition.getDefiningOp<NVVM::ElectSyncOp>() != nullptr;
}

LogicalResult lowerIf(KernelLowering &k, Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  auto carried = carriedBy(k, op, branch.getResultTypes(), [&](unsigned i) { return resultLayout(op, i); });
  if (failed(carried))
    return failure();
  bool hasElse = !branch.getElseRegion().empty();
  Block *then = k.newBlock({}), *otherwise = hasElse ? k.newBlock({}) : nullptr;
  Block *after = k.newBlock(carried->types(k));
  k.branchIf(k.scalar(branch.getCondition()), then, {}, hasElse ? otherwise : after, {});
  bool unsyncedBefore = k.unsyncedStores, unsyncedAfter = unsyncedBefore && !hasElse;
  auto arm = [&](Block *to, Block &from) {
    k.enter(to);
    k.unsyncedStores = unsyncedBefore;
    llvm::SaveAndRestore alone(k.byOneThread, k.byOneThread || isOfOneThread(branch.getCondition()));
    if (failed(k.lowerBlock(from)))
      return failure();
    k.t.setLocation(op->getLoc());
    k.branch(after, carried->flatten(k, from.getTerminator()->getOperands()));
    unsyncedAfter |= k.unsyncedStores;
    return success();
  };
  if (failed(arm(then, *branch.thenBlock())) || (hasElse && failed(arm(otherwise, *branch.elseBlock()))))
    return failure();
  k.enter(after);
  k.unsyncedStores = unsyncedAfter;
  carried->unpack(k, branch.getResults(), after->getArguments());
  return success();
}

/// Compares the value with each arm's in order; the default runs if none is equal.
LogicalResult lowerSwitch(KernelLowering &k, Operation *op) {
  auto choice = cast<scf::IndexSwitchOp>(op);
  auto carried = carriedBy(k, op, choice.getResultTypes(), [&](unsigned i) { return resultLayout(op, i); });
  if (failed(carried))
    return failure();
  Value chosen = k.scalar(choice.getArg());
  Block *after = k.newBlock(carried->types(k));
  bool unsyncedBefore = k.unsyncedStores, unsyncedAfter = false;
  auto arm = [&](Block &from) {
    k.unsyncedStores = unsyncedBefore;
    if (failed(k.lowerBlock(from)))
      return failure();
    k.t.setLocation(op->getLoc());
    k.branch(after, carried->flatten(k, from.getTerminator()->getOperands()));
    unsyncedAfter |= k.unsyncedStores;
    return success();
  };
  for (auto [number, region] : llvm::zip_equal(choice.getCases(), choice.getCaseRegions())) {
    Block *then = k.newBlock({}), *otherwise = k.newBlock({});
    k.branchIf(k.t.compare(LLVM::ICmpPredicate::eq, chosen, number), then, {}, otherwise, {});
    k.enter(then);
    if (failed(arm(region.front())))
      return failure();
    k.enter(otherwise);
  }
  if (failed(arm(choice.getDefaultRegion().front())))
    return failure();
  k.enter(after);
  k.unsyncedStores = unsyncedAfter;
  carried->unpack(k, choice.getResults(), after->getArguments());
  return success();
}

LogicalResult lowerWhile(KernelLowering &k, Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Operation *condition = loop.getConditionOp();
  auto before = carriedBy(k, op, loop.getInits().getTypes(), [&](unsigned i) { return operandLayout(op, i); });
  auto after = carriedBy(k, op, loop.getResultTypes(), [&](unsigned i) { return resultLayout(op, i); });
  if (failed(before) || failed(after))
    return failure();
  Block *header = k.newBlock(before->types(k)), *body = k.newBlock(after->types(k));
  Block *exit = k.newBlock(after->types(k));
  k.branch(header, before->flatten(k, loop.getInits()));
  k.enter(header);
  assumeBodyRan(k, op);
  before->unpack(k, loop.getBeforeArguments(), header->getArguments());
  if (failed(k.lowerBlock(*loop.getBeforeBody())))
    return failure();
  k.t.setLocation(op->getLoc());
  SmallVector<Value> passed = after->flatten(k, condition->getOperands().drop_front());
  k.branchIf(k.scalar(condition->getOperand(0)), body, passed, exit, passed);

  k.enter(body);
  after->unpack(k, loop.getAfterArguments(), body->getArguments());
  if (failed(k.lowerBlock(*loop.getAfterBody())))
    return failure();
  k.t.setLocation(op->getLoc());
  k.branch(header, before->flatten(k, loop.getAfterBody()->getTerminator()->getOperands()));

  k.enter(exit);
  after->unpack(k, loop.getResults(), exit->getArguments());
  return success();
}

} // namespace

void addControlFlow(HandlerTable &table) {
  table["scf.for"] = lowerFor;
  table["scf.if"] = lowerIf;
  table["scf.index_switch"] = lowerSwitch;
  table["scf.while"] = lowerWhile;
}

} // namespace lanescope::core
