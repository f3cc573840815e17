// Demands of operations with regions: a value has one layout on entry, at each iteration, and on exit.
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpuRegions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core {

using namespace mlir;
using constraints::MemorySpace;
using constraints::Variable;

namespace {

bool isArray(Value value) { return isa<VectorType>(value.getType()); }
bool isShared(Value value) { return memorySpaceOf(value.getType(), /*barriers=*/true) == MemorySpace::Shared; }
bool isTensor(Value value) { return memorySpaceOf(value.getType()) == MemorySpace::Tensor; }

/// An array's own variable; for a reference, the variable of its definition.
FailureOr<Variable> variableOf(OpOperand &operand, Derivation &system) {
  if (isArray(operand.get()))
    return system.at(operand);
  return system.producer(operand);
}

/// The last operation of a single-block region, which passes on `count` values after the first `skipped`.
FailureOr<Operation *> terminatorOf(Region &region, size_t count, size_t skipped = 0) {
  if (region.hasOneBlock() && !region.front().empty() && region.front().back().getNumOperands() == skipped + count)
    return &region.front().back();
  return region.getParentOp()->emitError() << "a region does not hand on " << count << " values at its end";
}

LogicalResult requireArguments(Region &region, size_t count) {
  if (region.hasOneBlock() && region.front().getNumArguments() == count)
    return success();
  return region.getParentOp()->emitError() << "a region does not take " << count << " values";
}

LogicalResult forLoop(scf::ForOp loop, Derivation &system) {
  const size_t carried = loop->getNumResults();
  auto end = terminatorOf(loop.getRegion(), carried);
  if (failed(end) || failed(requireArguments(loop.getRegion(), carried + 1)))
    return failure();
  Operation *yield = *end;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgsMutable())) {
    if (!isArray(init.get()) && !isShared(init.get()))
      continue;
    auto variable = variableOf(init, system);
    if (failed(variable))
      return failure();
    system.bind(*variable, {init, Value(loop.getRegionIterArg(i)), Value(loop.getResult(i)), yield->getOpOperand(i)});
  }
  return success();
}

LogicalResult whileLoop(Operation *op, Derivation &system) {
  Region &before = op->getRegion(0), &after = op->getRegion(1);
  auto condition = terminatorOf(before, op->getNumResults(), /*skipped=*/1);
  auto yield = terminatorOf(after, op->getNumOperands());
  if (failed(condition) || failed(yield) || failed(requireArguments(before, op->getNumOperands())) ||
      failed(requireArguments(after, op->getNumResults())))
    return failure();
  for (auto [i, init] : llvm::enumerate(op->getOpOperands()))
    if (isArray(init.get()))
      system.bind(system.at(init), {init, Value(before.getArgument(i)), (*yield)->getOpOperand(i)});
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (isArray(result))
      system.bind(system.at(Value(result)),
                  {Value(result), Value(after.getArgument(i)), (*condition)->getOpOperand(i + 1)});
  return success();
}

/// Demands of an operation whose results come from one of several regions.
LogicalResult branches(Operation *op, Derivation &system) {
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (!isArray(result))
      continue;
    Variable variable = system.at(Value(result));
    system.bind(variable, {Value(result)});
    for (Region &region : op->getRegions()) {
      auto yield = terminatorOf(region, op->getNumResults());
      if (failed(yield))
        return failure();
      system.bindMore(variable, {(*yield)->getOpOperand(i)});
    }
  }
  return success();
}

LogicalResult warpMap(Operation *op, Derivation &system) {
  if (failed(requireArguments(op->getRegion(0), op->getNumOperands())))
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTensor(operand.get()) && !isShared(operand.get()))
      continue;
    auto variable = system.producer(operand);
    if (failed(variable))
      return failure();
    system.bindMore(*variable, {operand, Value(op->getRegion(0).front().getArgument(operand.getOperandNumber()))});
  }
  return success();
}

/// Iterates over an operation's list of layouts or transforms.
class Entries {
public:
  Entries(Operation *op, llvm::StringRef name) : op_(op), name_(name), entries_(op->getAttrOfType<ArrayAttr>(name)) {}

  FailureOr<Attribute> next() {
    if (entries_ && used_ < entries_.size())
      return entries_[used_++];
    return op_->emitError() << "`" << name_ << "` has too few entries";
  }
  FailureOr<layouts::RegisterLayout> nextLayout() {
    auto entry = next();
    if (failed(entry))
      return failure();
    auto layout = toLayout(*entry);
    if (!layout)
      return op_->emitError() << "`" << name_ << "` has an entry that is no register layout";
    return *layout;
  }

private:
  Operation *op_;
  llvm::StringRef name_;
  ArrayAttr entries_;
  size_t used_ = 0;
};

/// A custom_primitive states the layouts of its arrays and the transforms of its references itself. Each reference has
/// its own variable: it may appear twice with different transforms, which cannot be satisfied.
LogicalResult customPrimitive(Operation *op, Derivation &system) {
  Entries inLayouts(op, "in_layouts"), inTransforms(op, "in_transforms"), outLayouts(op, "out_layouts");
  for (OpOperand &operand : op->getOpOperands()) {
    if (isArray(operand.get())) {
      auto layout = inLayouts.nextLayout();
      if (failed(layout))
        return failure();
      Variable variable = system.at(operand);
      system.assign(variable, std::move(*layout));
      system.bind(variable, {operand});
    } else if (isShared(operand.get())) {
      auto source = system.producer(operand);
      auto entry = inTransforms.next();
      if (failed(source) || failed(entry))
        return failure();
      auto list = dyn_cast<ArrayAttr>(*entry);
      auto transforms = list ? toTransforms(list) : Result<SmemTransforms>(SmemTransforms{});
      if (!list || !transforms)
        return op->emitError() << "`in_transforms` has an entry that is no tile and swizzle";
      Variable variable = system.at(operand);
      system.require(constraints::Equals{*source, variable});
      system.assign(variable, std::move(*transforms));
      system.bind(variable, {operand});
    }
  }
  for (Value result : op->getResults())
    if (isArray(result)) {
      auto layout = outLayouts.nextLayout();
      if (failed(layout))
        return failure();
      Variable variable = system.at(result);
      system.assign(variable, std::move(*layout));
      system.bind(variable, {result});
    }
  return success();
}

} // namespace

llvm::ArrayRef<DemandEntry> regionDemands() {
  static const DemandEntry entries[] = {
      on<scf::ForOp, forLoop>(), on<scf::WhileOp>(whileLoop),        on<scf::IndexSwitchOp>(branches),
      on<scf::IfOp>(branches),   on<mosaic_gpu::WarpMapOp>(warpMap), on<mosaic_gpu::CustomPrimitiveOp>(customPrimitive),
  };
  return entries;
}

} // namespace lanescope::core
