#include "core/gpu/inference/KernelSystem.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Constraint;
using constraints::Derive;
using constraints::Equals;
using constraints::Expression;
using constraints::MemorySpace;
using constraints::Variable;
using Entry = LayoutRules::Entry;

KernelSystem::KernelSystem(const ModuleRules &module, Groups &groups)
    : module_(module), groups_(groups), variables_(groups.size(), -1) {
  for (Value array : module.arrays)
    addVariable(array);
  for (bool tensors : {false, true})
    for (const Entry &entry : module.entries())
      for (const LayoutSite &site : sitesOf(entry.rule))
        if (hasTensorLayout(site.value.getType()) == tensors)
          addVariable(site);
  for (const Entry &entry : module.entries())
    add(entry);
}

std::optional<Variable> KernelSystem::variable(const LayoutSite &site) const {
  int number = groups_.number(site);
  return number < 0 ? std::nullopt : std::optional(Variable{static_cast<unsigned>(variables_[number])});
}

void KernelSystem::addVariable(const LayoutSite &site) {
  int number = groups_.number(site);
  if (number < 0 || variables_[number] >= 0)
    return;
  const Group &group = groups_.byNumber(number);
  Value first = group.members.front();
  Variable added =
      group.isTensor()
          ? system_.add({.space = MemorySpace::Tensor, .shape = tensorShape(first), .bitwidth = tensorBits(first)})
          : system_.add({.space = MemorySpace::Registers, .shape = shapeOf(first), .bitwidth = bitwidthOf(first)});
  variables_[number] = static_cast<int>(added.id);
  numbers_.push_back(number);
  unknowns_.push_back(added);
  if (group.layout)
    system_.assign(added, group.layout);
}

void KernelSystem::require(const Entry &entry, Constraint constraint) {
  system_.constraints.push_back(std::move(constraint));
  entries_.push_back(&entry);
}

void KernelSystem::add(const Entry &entry) {
  /// The variables at both ends; nothing if an end is a constant, to which no rule applies.
  auto ends = [&](const LayoutSite &a, const LayoutSite &b) -> std::optional<std::pair<Variable, Variable>> {
    auto first = variable(a), second = variable(b);
    return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
  };
  /// Adds constraints in both directions: each end determines the other.
  auto bothWays = [&](const LayoutSite &a, const LayoutSite &b, Derive::Kind kind) {
    auto both = ends(a, b);
    if (!both)
      return;
    layouts::Shape from = shapeOf(a.value), to = shapeOf(b.value);
    require(entry, Equals{both->second, Expression(both->first).derived({kind, from, to})});
    require(entry, Equals{both->first, Expression(both->second).derived({kind, to, from})});
  };
  if (auto *reduced = std::get_if<rule::Reduced>(&entry.rule)) {
    auto both = ends(reduced->large, reduced->small);
    if (!both)
      return;
    layouts::Shape shape = shapeOf(reduced->large.value);
    if (reduced->repeats)
      require(entry, constraints::Repeated{both->second, both->first, std::move(shape), reduced->axes});
    else
      require(entry, Equals{both->second, Expression(both->first)
                                              .derived({Derive::Reduced, std::move(shape),
                                                        shapeOf(reduced->small.value), reduced->axes})});
  } else if (auto *reshaped = std::get_if<rule::Reshaped>(&entry.rule)) {
    if (hasRegisterLayout(reshaped->from.value.getType()))
      bothWays(reshaped->from, reshaped->to, Derive::Reshaped);
  } else if (auto *part = std::get_if<rule::Part>(&entry.rule)) {
    bothWays(part->whole, part->part, part->leading ? Derive::LeadingPart : Derive::Part);
  } else if (auto *cast = std::get_if<rule::Relayout>(&entry.rule); cast && !cast->strict) {
    if (auto both = ends(cast->from, cast->to))
      require(entry, constraints::Relayout{both->first, both->second, bitwidthOf(cast->from.value), /*strict=*/false,
                                           shapeOf(cast->from.value)});
  } else if (auto *transfer = std::get_if<rule::TensorTransfer>(&entry.rule)) {
    if (auto both = ends(transfer->array, transfer->tensor))
      require(entry, constraints::TmemTransfer{both->first, both->second, shapeOf(transfer->array.value),
                                               bitwidthOf(transfer->array.value), /*any=*/true});
  } else if (auto *oneOf = std::get_if<rule::OneOf>(&entry.rule)) {
    if (auto own = variable(oneOf->site))
      require(entry, constraints::OneOf{*own, {oneOf->layouts.begin(), oneOf->layouts.end()}});
  } else if (auto *oneOf = std::get_if<rule::TensorOneOf>(&entry.rule)) {
    if (auto own = variable(oneOf->site))
      require(entry, constraints::OneOf{*own, {oneOf->layouts.begin(), oneOf->layouts.end()}});
  }
}

LogicalResult KernelSystem::adopt(const constraints::Assignments &assignments, const std::vector<int> &reasons,
                                  const std::vector<int> &suggestions) {
  bool good = true;
  for (Variable variable : unknowns_) {
    Group &own = group(variable);
    if (own.layout || !assignments[variable.id])
      continue;
    const int by = reasons[variable.id] >= 0 ? reasons[variable.id] : suggestions[variable.id];
    good &=
        succeeded(groups_.fix(own, assignments[variable.id],
                              by >= 0 ? entry(static_cast<size_t>(by)).op->getLoc() : own.members.front().getLoc()));
  }
  return success(good);
}

} // namespace lanescope::core
