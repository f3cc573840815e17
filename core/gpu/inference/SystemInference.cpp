#include "core/gpu/inference/SystemInference.h"

#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/inference/Explanation.h"
#include "core/gpu/inference/LayoutsInModule.h"

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

constexpr int64_t kPatience = 100; // failed candidates before the parts of the system are searched
constexpr llvm::StringLiteral kCustomPrimitive = "mosaic_gpu.custom_primitive";

/// Visits operations, outer ones first, without those in per-thread code.
template <typename Visit> WalkResult visitOps(ModuleOp module, const Visit &visit) {
  return module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    if (failed(visit(op)))
      return WalkResult::interrupt();
    return op->getName().getStringRef() == kCustomPrimitive ? WalkResult::skip() : WalkResult::advance();
  });
}

//===--- layouts as attributes ---===//

/// The name of an attribute for one kind of values. The attribute covers either the operands or the results.
struct LayoutList {
  llvm::StringLiteral name;
  MemorySpace space;
  bool results;
};
constexpr LayoutList kLists[] = {
    {kInLayouts, MemorySpace::Registers, false},  {kOutLayouts, MemorySpace::Registers, true},
    {kInTmemLayouts, MemorySpace::Tensor, false}, {kOutTmemLayouts, MemorySpace::Tensor, true},
    {kInTransforms, MemorySpace::Shared, false},  {kOutTransforms, MemorySpace::Shared, true},
};

/// True if a `custom_primitive` states its own layouts and transforms, which inference does not write.
bool isOwn(Operation *op, const LayoutList &list) {
  return op->getName().getStringRef() == kCustomPrimitive &&
         (list.space == MemorySpace::Registers || list.name == kInTransforms);
}

SmallVector<LayoutSite> sitesOf(Operation *op, const LayoutList &list) {
  SmallVector<LayoutSite> sites;
  auto add = [&](LayoutSite site) {
    if (memorySpaceOf(site.value.getType()) == list.space)
      sites.push_back(site);
  };
  if (list.results)
    for (Value result : op->getResults())
      add(result);
  else
    for (OpOperand &operand : op->getOpOperands())
      add(operand);
  return sites;
}

Constant constantOf(Attribute entry, MemorySpace space) {
  switch (space) {
  case MemorySpace::Registers:
    if (auto layout = toLayout(entry))
      return std::move(*layout);
    break;
  case MemorySpace::Tensor:
    if (auto layout = toTmemLayout(entry))
      return std::move(*layout);
    break;
  case MemorySpace::Shared:
    if (auto list = dyn_cast_or_null<ArrayAttr>(entry))
      if (auto transforms = toTransforms(list))
        return std::move(*transforms);
    break;
  }
  return {};
}

/// Adds the layouts in the operation's attributes to the system. Layouts of an operation without such attributes are
/// inferred.
LogicalResult keepStated(Operation *op, Derivation &system) {
  for (const LayoutList &list : kLists) {
    Attribute attribute = isOwn(op, list) ? Attribute() : op->getAttr(list.name);
    if (!attribute)
      continue;
    SmallVector<LayoutSite> sites = sitesOf(op, list);
    auto entries = dyn_cast<ArrayAttr>(attribute);
    if (!entries || entries.size() != sites.size())
      return op->emitError() << "`" << list.name << "` has " << (entries ? entries.size() : 0) << " entries for "
                             << sites.size() << (list.space == MemorySpace::Registers ? " arrays" : " references");
    for (auto [site, entry] : llvm::zip_equal(sites, entries)) {
      Constant constant = constantOf(entry, list.space);
      if (!constant)
        return op->emitError() << "`" << list.name << "` has an entry that is no "
                               << (list.space == MemorySpace::Shared ? "tile and swizzle" : "layout of such values");
      if (failed(system.state(op, site, std::move(constant))))
        return failure();
    }
  }
  return success();
}

LogicalResult derive(ModuleOp module, Derivation &system, bool stated = false) {
  if (visitOps(module, [&](Operation *op) { return system.ask(op); }).wasInterrupted() ||
      (stated && visitOps(module, [&](Operation *op) { return keepStated(op, system); }).wasInterrupted()))
    return failure();
  return system.finish();
}

//===--- names, as JAX prints them ---===//

/// The beginning of an operation's text: `%48 = "mosaic_gpu.slice_smem"()`, or `%cst` if its result has that name.
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

//===--- writing the answer ---===//

class Writer {
public:
  Writer(const Derivation &system, const Assignments &solution) : system_(system), solution_(solution) {}

  LogicalResult write(Operation *op) {
    for (const LayoutList &list : kLists) {
      SmallVector<LayoutSite> sites = sitesOf(op, list);
      if (sites.empty())
        continue;
      SmallVector<Attribute> entries;
      for (const LayoutSite &site : sites)
        if (auto variable = system_.variableAt(site))
          entries.push_back(attributeOf(op->getContext(), solution_[variable->id]));
      if (entries.size() != sites.size())
        return op->emitError() << "`" << list.name << "` would have " << entries.size() << " entries for "
                               << sites.size() << (list.space == MemorySpace::Registers ? " arrays" : " references")
                               << ": one is named twice, or a rule leaves one out";
      op->setAttr(list.name, ArrayAttr::get(op->getContext(), entries));
    }
    return success();
  }

private:
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
    for (const LayoutList &list : kLists)
      if (!isOwn(op, list))
        op->removeAttr(list.name);
  });
}

/// The module's solution. Errors as in inferBySystem.
static FailureOr<SearchResult> solve(ModuleOp module, Derivation &derivation, const InferenceOptions &options) {
  if (failed(derive(module, derivation, options.keepStated)))
    return failure();
  if (derivation.hasClash())
    return emitContradiction(module, explainContradiction(derivation, *options.target));
  const System system = completed(derivation.system());
  // If many candidates fail, there is mostly no solution, but the search would still try all combinations of candidates
  // that are unrelated to the contradiction. So each part of the system is searched by itself before the search of the
  // whole continues.
  auto found = search(system, derivation.variables(), *options.target, options.fuel,
                      constraints::Candidates(derivation.variables()), kPatience);
  if (found && found->kind == SearchResult::OutOfFuel && found->tried < options.fuel) {
    if (Contradiction part = explainContradiction(derivation, *options.target); !part.demands.empty())
      return emitContradiction(module, part);
    found = search(system, derivation.variables(), *options.target, options.fuel);
  }
  if (!found)
    return module->emitError() << found.error().front().message;
  switch (found->kind) {
  case SearchResult::Solved: break;
  case SearchResult::Unsatisfiable: return emitContradiction(module, explainContradiction(derivation, *options.target));
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
