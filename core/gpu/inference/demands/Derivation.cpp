#include "core/gpu/inference/demands/Derivation.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/ir/ElementTypes.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Constraint;
using constraints::MemorySpace;
using constraints::Variable;
using constraints::VariableInfo;

std::optional<MemorySpace> memorySpaceOf(Type type, bool barriers) {
  if (isa<VectorType>(type))
    return MemorySpace::Registers;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return std::nullopt;
  if (isTensorMemory(memref))
    return MemorySpace::Tensor;
  if (!isSharedMemory(memref) && !isa_and_nonnull<mosaic_gpu::SmemClusterAttr>(memref.getMemorySpace()))
    return std::nullopt;
  if (!barriers && isa<mosaic_gpu::BarrierType>(memref.getElementType()))
    return std::nullopt;
  return MemorySpace::Shared;
}

int elementBits(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 0;
  Type element = shaped.getElementType();
  if (isa<FloatTF32Type>(element))
    return 32;
  if (isa<mosaic_gpu::BarrierType>(element))
    return 64;
  if (!element.isIntOrFloat())
    return 0;
  int bits = storageBits(element);
  return llvm::has_single_bit(static_cast<unsigned>(bits)) ? bits : 0;
}

LogicalResult requireAttributes(Operation *op, ArrayRef<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    if (!op->getAttr(name))
      return op->emitError() << "`" << op->getName() << "` lacks its attribute `" << name << "`";
  return success();
}

bool isTransposed(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!memref || failed(memref.getStridesAndOffset(strides, offset)))
    return false;
  for (size_t d = 1; d < strides.size(); ++d)
    if (strides[d] > strides[d - 1])
      return true;
  return false;
}

namespace {

const void *keyOf(const LayoutSite &site) { return site.use ? site.use : site.value.getAsOpaquePointer(); }

VariableInfo infoOf(const LayoutSite &site) {
  VariableInfo info;
  auto type = dyn_cast<ShapedType>(site.value.getType());
  if (!type || !type.hasRank())
    return info; // bind() then reports an error
  info.space = memorySpaceOf(type, /*barriers=*/true).value_or(MemorySpace::Shared);
  info.shape.assign(type.getShape().begin(), type.getShape().end());
  info.bitwidth = elementBits(type);
  if (auto memref = dyn_cast<MemRefType>(type)) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (succeeded(memref.getStridesAndOffset(strides, offset)))
      info.strides.assign(strides.begin(), strides.end());
    else
      info.strides.assign(info.shape.size(), ShapedType::kDynamic);
    Operation *definition = site.use ? nullptr : site.value.getDefiningOp();
    if (definition && isa<mosaic_gpu::TmemAllocOp>(definition)) {
      auto collective = definition->getAttrOfType<BoolAttr>("collective");
      info.allocation = collective && collective.getValue();
    }
  }
  return info;
}

/// The operation has no demands: JAX's tests use it as a placeholder of any type.
LogicalResult demandNothing(Operation *op, Derivation &system) {
  system.bind(system.at(op->getResult(0)), {op->getResult(0)});
  return success();
}

bool isTerminator(Operation *op) { return isa<scf::YieldOp, scf::ConditionOp>(op); }

/// The function for the operation; null: it has no rule.
Demand demandOf(Operation *op) {
  static const auto *table = [] {
    auto *all = new llvm::DenseMap<TypeID, Demand>();
    for (llvm::ArrayRef<DemandEntry> family : {arrayDemands(), regionDemands(), referenceDemands(), transferDemands(),
                                               copyDemands(), productDemands(), tensorDemands()})
      all->insert(family.begin(), family.end());
    return all;
  }();
  Demand demand = table->lookup(op->getName().getTypeID());
  if (!demand && op->hasTrait<OpTrait::Elementwise>())
    return demandPointwise;
  if (!demand &&
      op->getName().getStringRef() == "llvm.mlir.undef") // its class is in a header that compiles for seconds
    return demandNothing;
  return demand;
}

} // namespace

Variable Derivation::at(const LayoutSite &site) {
  auto [found, isNew] = named_.try_emplace(keyOf(site));
  if (isNew) {
    found->second = system_.add(infoOf(site));
    names_.push_back(site);
    bound_.emplace_back();
  }
  return found->second;
}

FailureOr<Variable> Derivation::producer(OpOperand &operand) {
  auto found = of_.find(operand.get().getAsOpaquePointer());
  if (found != of_.end())
    return found->second;
  if (scope_ == Scope::Part)
    return at(operand);
  return operand.getOwner()->emitError() << "operand " << operand.getOperandNumber()
                                         << " is a reference that no operation with a layout rule defines";
}

void Derivation::assign(Variable variable, Constant constant) { assigns_[variable.id] = std::move(constant); }

void Derivation::require(Constraint constraint) {
  system_.constraints.push_back(std::move(constraint));
  origins_.push_back(op_);
  handedOn_.push_back(nullptr);
}

void Derivation::bind(Variable variable, ArrayRef<LayoutSite> sites) {
  binds_[variable.id] = Sites(sites.begin(), sites.end());
}

void Derivation::bindMore(Variable variable, ArrayRef<LayoutSite> sites) {
  binds_[variable.id].append(sites.begin(), sites.end());
}

LogicalResult Derivation::fix(Variable variable, Constant constant, llvm::StringRef what) {
  const VariableInfo &info = system_.variables[variable.id];
  auto valid = constraints::isValidAssignment(info, constant);
  if (!valid)
    return op_->emitError() << valid.error().front().message;
  if (!*valid)
    return op_->emitError() << what << " of shape " << layouts::tupleText(info.shape) << " cannot have "
                            << (info.space == MemorySpace::Shared ? "the transforms " : "the layout ")
                            << constant.text().substr(1);
  assign(variable, std::move(constant));
  return success();
}

Variable Derivation::aliased(IntegerAttr alias, const LayoutSite &site) {
  if (!alias)
    return at(site);
  bool tensor = memorySpaceOf(site.value.getType()) == MemorySpace::Tensor;
  auto [found, isNew] = aliases_[tensor].try_emplace(alias.getInt());
  if (isNew)
    found->second = at(site);
  return found->second;
}

std::optional<Variable> Derivation::variableAt(const LayoutSite &site) const {
  auto found = of_.find(keyOf(site));
  return found == of_.end() ? std::nullopt : std::optional(found->second);
}

LogicalResult Derivation::ask(Operation *op) {
  positions_[op] = positions_.size();
  auto isRuled = [](Value value) { return memorySpaceOf(value.getType()).has_value(); };
  // Terminators are handled by the enclosing operation.
  if (isTerminator(op) || (llvm::none_of(op->getOperands(), isRuled) && llvm::none_of(op->getResults(), isRuled)))
    return success();
  Demand demand = demandOf(op);
  if (!demand && scope_ == Scope::Part)
    return success();
  if (!demand)
    return op->emitError() << "no layout rule for `" << op->getName() << "`";
  op_ = op;
  binds_.clear();
  assigns_.clear();
  if (failed(demand(op, *this)))
    return failure();
  for (auto &[id, sites] : binds_) {
    const VariableInfo &info = system_.variables[id];
    for (const LayoutSite &site : sites) {
      auto type = dyn_cast<ShapedType>(site.value.getType());
      if (!type || !type.hasRank() || memorySpaceOf(type, /*barriers=*/true) != info.space)
        return op->emitError() << "values of different kinds of memory would have one layout";
      if (type.getShape() != ArrayRef(info.shape))
        return op->emitError() << "arrays or references of shapes " << layouts::tupleText(info.shape) << " and "
                               << layouts::tupleText(type.getShape().vec()) << " would have one layout";
    }
    if (bound_[id].empty())
      order_.push_back({id});
    bound_[id].append(sites.begin(), sites.end());
    for (const LayoutSite &site : sites)
      of_[keyOf(site)] = {id};
  }
  for (auto &[id, constant] : assigns_) {
    clash_ |= !system_.assign({id}, constant);
    statements_.push_back({op, {id}, std::move(constant)});
  }
  return success();
}

LogicalResult Derivation::state(Operation *op, const LayoutSite &site, Constant constant) {
  auto variable = variableAt(site);
  auto valid = variable ? isValidAssignment(system_.variables[variable->id], constant) : false;
  if (!valid || !*valid)
    return op->emitError() << "a value of type " << site.value.getType() << " cannot have the "
                           << (constant.shared() ? "transforms " : "layout ") << constant.text().substr(1);
  clash_ |= !system_.assign(*variable, constant);
  for (size_t i = statements_.size(); i > 0 && statements_[i - 1].op == op; --i)
    if (statements_[i - 1].variable == *variable && statements_[i - 1].value == constant)
      return success(); // already stated
  statements_.push_back({op, *variable, std::move(constant), site});
  return success();
}

/// A value's uses in the order of a module that was built, not parsed: the last one first.
SmallVector<OpOperand *> Derivation::usesOf(Value value) const {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  llvm::stable_sort(uses, [&](OpOperand *a, OpOperand *b) {
    return std::pair(positions_.lookup(a->getOwner()), a->getOperandNumber()) >
           std::pair(positions_.lookup(b->getOwner()), b->getOperandNumber());
  });
  return uses;
}

LogicalResult Derivation::finish() {
  llvm::DenseSet<unsigned> visited;
  auto relayout = [&](Variable from, Variable to, OpOperand &use, int bits) {
    op_ = use.getOwner();
    require(constraints::Relayout{from, to, bits, /*strict=*/true});
    handedOn_.back() = &use;
  };
  for (Variable variable : order_) {
    for (const LayoutSite &site : bound_[variable.id]) {
      if (system_.variables[variable.id].space != MemorySpace::Registers)
        continue;
      Operation *op = site.use ? site.use->getOwner() : site.value.getDefiningOp();
      int bits = elementBits(site.value.getType());
      if (bits == 0)
        return emitError(site.value.getLoc()) << "elements of an array have a width that is no power of two";
      if (site.use) {
        auto producer = of_.find(site.value.getAsOpaquePointer());
        if (producer == of_.end())
          return op->emitError() << "operand " << site.use->getOperandNumber()
                                 << " is an array that no operation with a layout rule defines";
        if (!visited.contains(producer->second.id))
          relayout(producer->second, variable, *site.use, bits);
        continue;
      }
      for (OpOperand *use : usesOf(site.value)) {
        auto consumer = of_.find(use);
        if (consumer == of_.end())
          return use->getOwner()->emitError() << "`" << use->getOwner()->getName() << "` uses an array in no layout";
        if (!visited.contains(consumer->second.id))
          relayout(variable, consumer->second, *use, bits);
      }
    }
    visited.insert(variable.id);
  }
  return success();
}

} // namespace lanescope::core
