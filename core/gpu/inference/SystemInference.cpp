#include "core/gpu/inference/SystemInference.h"

#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/inference/Explanation.h"
#include "core/gpu/inference/Layouts.h"

#include "layouts/cost/RelayoutTable.h"

#include "mlir/IR/AsmState.h"

#include "llvm/Support/raw_ostream.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Assignments;
using constraints::Constant;
using constraints::MemorySpace;
using constraints::SearchResult;
using constraints::System;
using constraints::Variable;

namespace {

constexpr llvm::StringLiteral kCustomPrimitive = "mosaic_gpu.custom_primitive";

/// Operations from the outside in, without what is per-thread code already.
template <typename Visit> WalkResult visitOps(ModuleOp module, const Visit &visit) {
  return module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    if (failed(visit(op)))
      return WalkResult::interrupt();
    return op->getName().getStringRef() == kCustomPrimitive ? WalkResult::skip() : WalkResult::advance();
  });
}

LogicalResult derive(ModuleOp module, Derivation &system) {
  if (visitOps(module, [&](Operation *op) { return system.ask(op); }).wasInterrupted())
    return failure();
  return system.finish();
}

/// An error at the last of the operations that contradict each other, with a note at each other one and at each
/// conversion that would do.
LogicalResult emitContradiction(ModuleOp module, const Derivation &derivation, const constraints::Target &target) {
  Contradiction found = explainContradiction(derivation, target);
  if (found.demands.empty())
    return module->emitError()
           << "no layouts were found: nothing says what some values are, and they have no default; a "
              "`layout_cast`, `tmem_layout_cast` or `with_transforms` does";
  const Contradiction::Demand &last = found.demands.back();
  InFlightDiagnostic problem = last.op->emitError();
  problem << "there are no layouts for all operations: here " << last.words;
  for (const Contradiction::Demand &demand : ArrayRef(found.demands).drop_back())
    problem.attachNote(demand.op->getLoc()) << "but here " << demand.words;
  for (const Contradiction::Cast &cast : found.casts)
    problem.attachNote(cast.use->getOwner()->getLoc())
        << "a `layout_cast` of operand " << cast.use->getOperandNumber() << " from " << layouts::quoted(cast.from)
        << " to " << layouts::quoted(cast.to) << " would do (" << cast.cost << ")";
  return problem;
}

//===--- names, as JAX prints them ---===//

/// By operation: how its text begins, `%48 = "mosaic_gpu.slice_smem"()`, or `%cst` where its result has such a name.
class Names {
public:
  explicit Names(ModuleOp module, const Derivation &system) : state_(module), system_(system) {}

  std::string operator()(Variable variable) {
    const LayoutSite &site = system_.site(variable);
    Operation *op = site.use                     ? site.use->getOwner()
                    : site.value.getDefiningOp() ? site.value.getDefiningOp()
                                                 : cast<BlockArgument>(site.value).getOwner()->getParentOp();
    std::string place;
    if (site.use)
      place = ":o-" + std::to_string(site.use->getOperandNumber());
    else if (auto result = dyn_cast<OpResult>(site.value))
      place = ":r-" + std::to_string(result.getResultNumber());
    else
      place = ":a-" + std::to_string(cast<BlockArgument>(site.value).getArgNumber());
    auto [found, isNew] = names_.try_emplace(op);
    if (isNew)
      found->second = beginning(op);
    return found->second + place;
  }

private:
  std::string beginning(Operation *op) {
    std::string text;
    llvm::raw_string_ostream out(text);
    op->print(out, state_);
    llvm::StringRef rest = text;
    llvm::StringRef result = rest.take_until([](char c) { return c == ' '; });
    if (result.size() > 1 && result.front() == '%' && llvm::all_of(result.drop_front(), llvm::isDigit) &&
        rest.drop_front(result.size()).starts_with(" = ")) {
      llvm::StringRef after = rest.drop_front(result.size() + 3);
      return rest.take_front(result.size() + 3).str() + after.take_until(llvm::isSpace).str();
    }
    return rest.take_until(llvm::isSpace).str();
  }

  AsmState state_;
  const Derivation &system_;
  llvm::DenseMap<Operation *, std::string> names_;
};

//===--- attributes ---===//

class Writer {
public:
  Writer(const Derivation &system, const Assignments &solution) : system_(system), solution_(solution) {}

  LogicalResult write(Operation *op) {
    SmallVector<LayoutSite> operands, results;
    for (OpOperand &operand : op->getOpOperands())
      operands.emplace_back(operand);
    for (Value result : op->getResults())
      results.emplace_back(result);
    return success(write(op, operands, MemorySpace::Registers, kInLayouts) &&
                   write(op, results, MemorySpace::Registers, kOutLayouts) &&
                   write(op, operands, MemorySpace::Tensor, kInTmemLayouts) &&
                   write(op, results, MemorySpace::Tensor, kOutTmemLayouts) &&
                   write(op, operands, MemorySpace::Shared, kInTransforms) &&
                   write(op, results, MemorySpace::Shared, kOutTransforms));
  }

private:
  bool write(Operation *op, ArrayRef<LayoutSite> sites, MemorySpace space, llvm::StringRef name) {
    SmallVector<Attribute> entries;
    size_t wanted = 0;
    for (const LayoutSite &site : sites) {
      if (memorySpaceOf(site.value.getType()) != space)
        continue;
      ++wanted;
      if (auto variable = system_.variableAt(site))
        entries.push_back(attributeOf(op->getContext(), solution_[variable->id]));
    }
    if (wanted == 0)
      return true;
    if (entries.size() != wanted) {
      op->emitError() << "`" << name << "` would have " << entries.size() << " entries for " << wanted
                      << (space == MemorySpace::Registers ? " arrays" : " references")
                      << ": one is named twice, or a rule leaves one out";
      return false;
    }
    op->setAttr(name, ArrayAttr::get(op->getContext(), entries));
    return true;
  }

  static Attribute attributeOf(MLIRContext *context, const Constant &constant) {
    if (const auto *layout = constant.registers())
      return toAttribute(context, *layout);
    if (const auto *layout = constant.tensor())
      return toAttribute(context, *layout);
    return toAttribute(context, *constant.shared());
  }

  const Derivation &system_;
  const Assignments &solution_;
};

} // namespace

void forgetLayouts(ModuleOp module) {
  module->walk([](Operation *op) {
    for (llvm::StringRef name :
         {kInLayouts, kOutLayouts, kInTransforms, kOutTransforms, kInTmemLayouts, kOutTmemLayouts})
      if (op->getName().getStringRef() != kCustomPrimitive || name == kOutTransforms || name == kInTmemLayouts ||
          name == kOutTmemLayouts)
        op->removeAttr(name);
  });
}

/// The module's solution. Errors as inferBySystem.
static FailureOr<SearchResult> solve(ModuleOp module, Derivation &derivation, const InferenceOptions &options) {
  if (failed(derive(module, derivation)))
    return failure();
  if (derivation.hasClash())
    return emitContradiction(module, derivation, options.target);
  const System system = completed(derivation.system());
  auto found = search(system, derivation.variables(), options.target, options.fuel);
  if (!found)
    return module->emitError() << found.error().front().message;
  switch (found->kind) {
  case SearchResult::Solved: break;
  case SearchResult::Unsatisfiable: return emitContradiction(module, derivation, options.target);
  case SearchResult::OutOfFuel:
    return module->emitError() << "no layouts were found in " << found->tried
                               << " attempts; a `layout_cast` or `with_transforms` where one is known makes it easier";
  case SearchResult::Undecided:
    return module->emitError() << "layouts were found, but it is not known whether they meet all demands";
  }
  for (Variable variable : derivation.variables()) {
    auto valid = isValidAssignment(system.variables[variable.id], found->assignments[variable.id]);
    if (!valid || !*valid) {
      const LayoutSite &site = derivation.site(variable);
      return emitError(site.value.getLoc()) << "a value of type " << site.value.getType() << " cannot have the layout "
                                            << found->assignments[variable.id].text().substr(1);
    }
  }
  return std::move(*found);
}

LogicalResult inferBySystem(ModuleOp module, const InferenceOptions &options) {
  Derivation derivation;
  auto found = solve(module, derivation, options);
  if (failed(found))
    return failure();
  Writer writer(derivation, found->assignments);
  return failure(visitOps(module, [&](Operation *op) { return writer.write(op); }).wasInterrupted());
}

LogicalResult explainLayouts(
    ModuleOp module, const InferenceOptions &options,
    llvm::function_ref<void(const LayoutSite &site, std::string value, const std::vector<LayoutStep> &steps)> visit) {
  Derivation derivation;
  auto found = solve(module, derivation, options);
  if (failed(found))
    return failure();
  (void)visitOps(module, [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (derivation.variableAt(operand))
        visit(operand, "operand " + std::to_string(operand.getOperandNumber()),
              explainLayout(derivation, *found, operand));
    for (OpResult result : op->getResults())
      if (derivation.variableAt(Value(result)))
        visit(Value(result), "result " + std::to_string(result.getResultNumber()),
              explainLayout(derivation, *found, Value(result)));
    return success();
  });
  return success();
}

FailureOr<std::string> constraintSystemText(ModuleOp module) {
  Derivation derivation;
  if (failed(derive(module, derivation)))
    return failure();
  Names names(module, derivation);
  System system = derivation.system();
  saturateNotSplat(system);
  equateStrictRelayouts(system);
  saturateDivides(system, [&](Variable a, Variable b) { return names(a) < names(b); });
  return system.text(names);
}

} // namespace lanescope::core
