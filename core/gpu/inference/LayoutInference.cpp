#include "core/gpu/inference/LayoutInference.h"

#include "core/gpu/inference/Groups.h"
#include "core/gpu/inference/KernelChoices.h"
#include "core/gpu/inference/KernelFaults.h"
#include "core/gpu/inference/KernelSystem.h"
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/inference/OpenTransforms.h"
#include "core/gpu/inference/Transforms.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::SearchResult;
using layouts::RegisterLayout;
using Entry = LayoutRules::Entry;

namespace {

bool isSplat(const RegisterLayout &layout) { return std::holds_alternative<layouts::WGSplatFragLayout>(layout); }

/// The arrays that are not constants: arrays that a rule requires to have different elements, arrays with a stated
/// layout, and all arrays related to these.
llvm::DenseSet<Value> withoutSplats(const ModuleRules &module) {
  llvm::DenseSet<Value> found;
  for (Value array : module.arrays)
    if (auto result = dyn_cast<OpResult>(array))
      if (auto stated = resultLayout(result.getOwner(), result.getResultNumber()); stated && !isSplat(*stated))
        found.insert(array);
  // The arrays that one operation relates; the operation defines one of them.
  SmallVector<SmallVector<LayoutSite, 4>> related;
  for (const Entry &entry : module.entries()) {
    if (auto *rule = std::get_if<rule::NotSplat>(&entry.rule))
      found.insert(rule->site.value);
    else if (auto *rule = std::get_if<rule::OneOf>(&entry.rule); rule && !rule->site.use)
      found.insert(rule->site.value);
    auto *cast = std::get_if<rule::Relayout>(&entry.rule);
    if (!cast || cast->strict)
      if (auto sites = sitesOf(entry.rule); sites.size() > 1)
        related.push_back(std::move(sites));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &sites : related)
      if (llvm::any_of(sites, [&](const LayoutSite &site) { return found.contains(site.value); }))
        for (const LayoutSite &site : sites)
          if (!site.use)
            changed |= found.insert(site.value).second;
  }
  return found;
}

/// Merges equal values, together with the layouts that are stated directly.
class Merging {
public:
  explicit Merging(const ModuleRules &module) : module_(module) {}

  /// Errors: a group would get two different layouts; a layout does not apply to an array.
  LogicalResult run() {
    llvm::DenseSet<Value> found = withoutSplats(module_);
    for (Value array : module_.arrays)
      if (found.contains(array))
        groups_.add(array);
    mergeTensors();
    keepStated();
    for (const Entry &entry : module_.entries())
      if (auto *rule = std::get_if<rule::OneOf>(&entry.rule))
        demand(entry, *rule);
      else if (auto *rule = std::get_if<rule::TensorOneOf>(&entry.rule))
        demand(entry, *rule);
    for (const Entry &entry : module_.entries())
      unite(entry);
    return success(!failed_);
  }

  Groups &groups() { return groups_; }

private:
  void fix(Group &group, Constant layout, Location origin) {
    failed_ |= failed(groups_.fix(group, std::move(layout), origin));
  }

  void mergeTensors() {
    for (const Entry &entry : module_.entries())
      for (const LayoutSite &site : sitesOf(entry.rule))
        if (hasTensorLayout(site.value.getType()))
          groups_.add(site.value);
    for (const Entry &entry : module_.entries())
      if (auto *equal = std::get_if<rule::Equal>(&entry.rule))
        for (const LayoutSite &site : equal->sites)
          if (hasTensorLayout(site.value.getType()))
            failed_ |= failed(groups_.merge(entry.op, equal->sites.front(), site));
  }

  /// Applies the layouts in attributes, which operations of a dump may have.
  void keepStated() {
    llvm::DenseSet<Operation *> seen;
    for (const Entry &entry : module_.entries())
      if (seen.insert(entry.op).second) {
        for (OpOperand &operand : entry.op->getOpOperands()) {
          if (auto layout = operandLayout(entry.op, operand.getOperandNumber()); layout && !isSplat(*layout))
            keep(operand, std::move(*layout), entry.op);
          else if (auto tensor = operandTmemLayout(entry.op, operand.getOperandNumber()))
            keep(operand, std::move(*tensor), entry.op);
        }
        for (OpResult result : entry.op->getResults()) {
          if (auto layout = resultLayout(entry.op, result.getResultNumber()); layout && !isSplat(*layout))
            keep(Value(result), std::move(*layout), entry.op);
          else if (auto tensor = resultTmemLayout(entry.op, result.getResultNumber()))
            keep(Value(result), std::move(*tensor), entry.op);
        }
      }
  }

  void keep(const LayoutSite &site, Constant layout, Operation *op) {
    Group &group = groups_.ensured(site);
    if (!group.layout)
      return fix(group, std::move(layout), op->getLoc());
    if (group.layout == layout)
      return;
    failed_ = true;
    auto diagnostic = op->emitError() << "a value is stated to be in " << quoted(layout) << " here, and in "
                                      << quoted(group.layout) << " elsewhere; one of the attributes is wrong";
    diagnostic.attachNote(group.origin) << quoted(group.layout) << " comes from here";
  }

  /// Applies demands before arrays are merged, so that the merge of two groups with different layouts is an error. A
  /// group that already has a layout keeps it; the system reports it if it is not among the demanded ones. A constant
  /// that fits none of the demanded layouts stays a constant; its instruction reports the problem better.
  void demand(const Entry &entry, const rule::OneOf &rule) {
    auto fits = llvm::find_if(rule.layouts, [&](const RegisterLayout &layout) {
      return layouts::checkApplies(layout, shapeOf(rule.site.value)).has_value();
    });
    if (!groups_.of(rule.site) && fits == rule.layouts.end())
      return;
    if (Group &group = groups_.ensured(rule.site); !group.layout)
      fix(group, fits == rule.layouts.end() ? rule.layouts.back() : *fits, entry.op->getLoc());
  }

  void demand(const Entry &entry, const rule::TensorOneOf &rule) {
    Group &group = *groups_.of(rule.site);
    if (group.layout)
      return;
    auto fits = llvm::find_if(rule.layouts, [&](const layouts::TMEMLayout &layout) {
      return layout.checkType(tensorShape(rule.site.value), tensorBits(rule.site.value)).has_value();
    });
    fix(group, fits == rule.layouts.end() ? rule.layouts.front() : *fits, entry.op->getLoc());
  }

  void unite(const Entry &entry) {
    if (auto *rule = std::get_if<rule::Equal>(&entry.rule)) {
      unite(entry.op, rule->sites);
    } else if (auto *rule = std::get_if<rule::Relayout>(&entry.rule)) {
      bool constant = !groups_.of(rule->from);
      if (rule->strict && !constant)
        unite(entry.op, {rule->to, rule->from});
      else if (!rule->strict && constant) // create the constant in the cast's target layout
        groups_.follow(*rule->from.use, rule->to);
    } else if (auto *rule = std::get_if<rule::Part>(&entry.rule)) {
      if (groups_.of(rule->whole))
        groups_.ensured(rule->part);
    } else if (auto *rule = std::get_if<rule::TensorTransfer>(&entry.rule)) {
      groups_.ensured(rule->array);
    }
  }

  void unite(Operation *op, ArrayRef<LayoutSite> sites) {
    const LayoutSite *first = llvm::find_if(sites, [&](const LayoutSite &site) { return groups_.of(site); });
    if (first == sites.end())
      return;
    for (const LayoutSite &site : sites)
      if (groups_.of(site))
        failed_ |= failed(groups_.merge(op, *first, site));
    for (const LayoutSite &site : sites)
      if (!groups_.of(site) && hasRegisterLayout(site.value.getType()))
        groups_.follow(*site.use, *first);
  }

  const ModuleRules &module_;
  Groups groups_;
  bool failed_ = false;
};

/// The most attempts for a kernel whose first choices contradict each other. If so many fail, a solution is very
/// unlikely.
constexpr int64_t kKernelFuel = 2'000;

/// Reports the operations that contradict each other under the first choices.
LogicalResult emitContradictions(KernelSystem &kernel, const KernelFacts &facts) {
  auto found = firstChoices(kernel.system(), defaultGpuTarget(), KernelChoices(facts));
  if (!found)
    return emitError(kernel.module().entries().front().op->getLoc()) << found.error().front().message;
  if (failed(kernel.adopt(found->assignments, found->reasons, found->suggestions)))
    return failure();
  for (constraints::Variable variable : kernel.unknowns())
    if (!kernel.group(variable).layout) {
      emitNoDefault(facts, kernel.group(variable));
      return failure();
    }
  const Entry *last = nullptr;
  for (size_t constraint : found->contradictions)
    if (const Entry *entry = &kernel.entry(constraint); std::exchange(last, entry) != entry)
      emitFault(*entry, kernel.groups());
  return failure();
}

LogicalResult solve(KernelSystem &kernel, const KernelFacts &facts) {
  auto found = search(kernel.system(), kernel.unknowns(), defaultGpuTarget(), kKernelFuel, KernelChoices(facts));
  if (!found || found->kind != SearchResult::Solved)
    return emitContradictions(kernel, facts);
  return kernel.adopt(found->assignments, found->reasons, found->suggestions);
}

void annotate(Operation *op, Groups &groups) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  auto write = [&](llvm::StringRef name, ArrayRef<Attribute> entries) {
    if (!entries.empty())
      op->setAttr(name, ArrayAttr::get(op->getContext(), entries));
  };
  auto ofTensors = [&](ValueRange values) {
    SmallVector<Attribute> entries;
    for (Value value : values)
      if (hasTensorLayout(value.getType()))
        entries.push_back(toAttribute(op->getContext(), *groups.tensorAt(value)));
    return entries;
  };
  write(kInTmemLayouts, ofTensors(op->getOperands()));
  write(kOutTmemLayouts, ofTensors(op->getResults()));
  SmallVector<Attribute> in, out;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<VectorType>(operand.get().getType()))
      in.push_back(toAttribute(op->getContext(), groups.layoutAt(operand)));
  for (Value result : op->getResults())
    if (hasRegisterLayout(result.getType()))
      out.push_back(toAttribute(op->getContext(), groups.layoutAt(result)));
  write(kInLayouts, in);
  write(kOutLayouts, out);
}

} // namespace

LogicalResult inferLayouts(ModuleOp module) {
  auto rules = collectRules(module);
  if (failed(rules))
    return failure();
  Merging merging(*rules);
  if (failed(merging.run()) || failed(checkConstants(*rules, merging.groups())))
    return failure();
  OpenTransforms open(module);
  if (failed(open.chooseForOperands()))
    return failure();
  TransformMap transforms = propagateTransforms(rules->rules, open.chosen());
  KernelSystem kernel(*rules, merging.groups());
  if (failed(solve(kernel, KernelFacts(kernel, transforms))))
    return failure();
  if (open.chooseForArrays(rules->rules, [&](const LayoutSite &array) { return merging.groups().layoutAt(array); }))
    transforms = propagateTransforms(rules->rules, open.chosen());
  module->walk([&](Operation *op) { annotate(op, merging.groups()); });
  annotateTransforms(module, transforms);
  return success();
}

} // namespace lanescope::core
