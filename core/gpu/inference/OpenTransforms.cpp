#include "core/gpu/inference/OpenTransforms.h"

#include "core/gpu/inference/constraints/Search.h"
#include "core/gpu/inference/Explanation.h"
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/StatedTarget.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Expression;
using constraints::Finding;
using constraints::MemorySpace;
using constraints::Propagation;
using constraints::SearchResult;
using constraints::SmemTransfer;
using constraints::TransferKind;
using constraints::Variable;

namespace {

bool isReference(Value value) { return memorySpaceOf(value.getType()) == MemorySpace::Shared; }

/// True for loads, stores and prints of arrays, whose rules need the arrays' layouts.
bool isTransfer(Operation *op) {
  return llvm::is_contained(llvm::make_first_range(transferDemands()), op->getName().getTypeID());
}

bool isOpen(mosaic_gpu::SliceSmemOp slice) {
  return hasTransforms(slice.getType()) && !slice->hasAttr(kOutTransforms) &&
         llvm::none_of(slice->getUsers(), [](Operation *user) { return isa<mosaic_gpu::WithTransformsOp>(user); });
}

/// All operations on the memory of `slices`, directly, through views, or through operations that take two references.
llvm::DenseSet<Operation *> operationsOn(ArrayRef<Value> slices) {
  llvm::DenseSet<Operation *> found;
  llvm::DenseSet<Value> seen(slices.begin(), slices.end());
  SmallVector<Value> rest(slices);
  auto visit = [&](Operation *op) {
    if (isTransfer(op) || !found.insert(op).second)
      return;
    auto add = [&](Value value) {
      if (isReference(value) && seen.insert(value).second)
        rest.push_back(value);
    };
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
  };
  while (!rest.empty()) {
    Value value = rest.pop_back_val();
    if (Operation *definition = value.getDefiningOp())
      visit(definition);
    for (Operation *user : value.getUsers())
      visit(user);
  }
  return found;
}

} // namespace

OpenTransforms::OpenTransforms(ModuleOp module) : module_(module), target_(machineOf(module)) {
  module->walk([&](mosaic_gpu::SliceSmemOp slice) {
    if (isOpen(slice))
      slices_.push_back(slice.getResult());
  });
}

void OpenTransforms::keep(const constraints::Assignments &assignments) {
  for (Value slice : slices_)
    if (auto variable = derivation_.variableAt(slice))
      if (const SmemTransforms *transforms = assignments[variable->id].shared();
          transforms && *transforms != SmemTransforms{})
        chosen_[slice] = *transforms;
}

LogicalResult OpenTransforms::chooseForOperands() {
  if (slices_.empty())
    return success();
  const llvm::DenseSet<Operation *> operations = operationsOn(slices_);
  const WalkResult asked = module_->walk<WalkOrder::PreOrder>([&](Operation *op) {
    return !operations.contains(op) || succeeded(derivation_.ask(op)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (asked.wasInterrupted())
    return failure();
  system_ = completed(derivation_.system());
  std::vector<Variable> references; // without tensor memory and arrays of rows, which other code lays out
  llvm::copy_if(derivation_.variables(), std::back_inserter(references),
                [&](Variable variable) { return system_.variables[variable.id].space != MemorySpace::Tensor; });
  auto found = derivation_.hasClash() ? Result<SearchResult>(SearchResult{.kind = SearchResult::Unsatisfiable})
                                      : search(system_, references, target_);
  if (!found)
    return module_->emitError() << found.error().front().message;
  if (found->kind != SearchResult::Solved)
    return emitContradiction(module_, explainContradiction(derivation_, target_));
  for (Variable variable : derivation_.variables())
    if (const SmemTransforms *transforms = found->assignments[variable.id].shared();
        transforms && *transforms != SmemTransforms{})
      system_.assign(variable, found->assignments[variable.id]);
  keep(found->assignments);
  return success();
}

bool OpenTransforms::chooseForArrays(const LayoutRules &rules,
                                     llvm::function_ref<layouts::RegisterLayout(const LayoutSite &)> layoutAt) {
  if (slices_.empty())
    return false;
  Propagation state(system_, target_);
  if (auto consistent = state.start(); !consistent || !*consistent)
    return false;
  const size_t before = chosen_.size();
  auto isValid = [&] {
    return llvm::all_of(derivation_.variables(), [&](Variable variable) {
      const Constant &value = state.assignments()[variable.id];
      auto valid = value.shared() ? constraints::isValidAssignment(system_.variables[variable.id], value) : true;
      return valid && *valid;
    });
  };
  for (const LayoutRules::Entry &entry : rules.entries()) {
    auto *transfer = std::get_if<rule::Transfer>(&entry.rule);
    auto variable = transfer ? derivation_.variableAt(transfer->reference) : std::nullopt;
    if (!variable || state.assignments()[variable->id])
      continue;
    const constraints::VariableInfo &memory = system_.variables[variable->id];
    const bool load = !transfer->array.use;
    Expression array = Constant(layoutAt(transfer->array)), reference = *variable;
    const SmemTransfer demand{load ? reference : array,
                              load ? array : reference,
                              memory.shape,
                              memory.strides,
                              memory.bitwidth,
                              load ? TransferKind::Optimized : TransferKind::Downgradable};
    auto candidates = candidatesOf(demand, state);
    if (!candidates)
      continue;
    for (const constraints::Candidate &candidate : *candidates) {
      const size_t mark = state.mark();
      auto consistent = state.assign(candidate.variable, candidate.value);
      auto moved = examine(demand, state.assignments(), target_);
      if (consistent && *consistent && moved && moved->kind == Finding::True && isValid())
        break;
      state.undo(mark);
    }
  }
  keep(state.assignments());
  return chosen_.size() != before;
}

} // namespace lanescope::core
