#include "core/gpu/inference/constraints/ConstraintSystem.h"

#include "core/gpu/inference/constraints/Propagation.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace lanescope::core::constraints {

Variable System::add(VariableInfo info) {
  variables.push_back(std::move(info));
  assignments.emplace_back();
  return {static_cast<unsigned>(variables.size() - 1)};
}

bool System::assign(Variable variable, const Constant &constant) {
  Constant &value = assignments[variable.id];
  if (!value)
    value = constant;
  return value == constant;
}

std::vector<Variable> System::unknowns() const {
  std::vector<Variable> out;
  std::vector<bool> seen(variables.size());
  for (const Constraint &constraint : constraints) {
    auto [first, second] = sidesOf(constraint);
    for (const Expression *side : {first, second})
      if (side)
        if (const auto *variable = std::get_if<Variable>(&side->leaf);
            variable && !seen[variable->id] && !assignments[variable->id]) {
          seen[variable->id] = true;
          out.push_back(*variable);
        }
  }
  return out;
}

std::string System::text(VariableName name) const {
  std::string out = "ConstraintSystem\n  assignments:\n";
  for (unsigned id = 0; id < assignments.size(); ++id)
    if (assignments[id])
      out += lanescope::text("    V(", name(Variable{id}), ") ⟵ ", assignments[id].text(), "\n");
  out += "  constraints:\n";
  for (const Constraint &constraint : constraints)
    out += lanescope::text("    ", textOf(constraint, name), "\n");
  return out;
}

std::optional<System> intersection(const System &a, const System &b) {
  System out = a;
  for (unsigned id = 0; id < b.assignments.size(); ++id)
    if (b.assignments[id] && !out.assign({id}, b.assignments[id]))
      return std::nullopt;
  out.constraints.insert(out.constraints.end(), b.constraints.begin(), b.constraints.end());
  return out;
}

namespace {

/// The variables that constraints require not to be splats.
std::vector<bool> notSplats(const System &system) {
  std::vector<bool> out(system.variables.size());
  for (const Constraint &constraint : system.constraints)
    if (const auto *each = std::get_if<NotOfType>(&constraint); each && each->kind == LayoutKind::Splat)
      if (auto variable = each->expr.variable())
        out[variable->id] = true;
  return out;
}

/// Sets of equal variables. Maps each variable to the first variable of its set. `alike`: a set contains only arrays of
/// one shape and width.
class EqualVariables {
public:
  explicit EqualVariables(const System &system, bool alike = false) : parents_(system.variables.size()) {
    std::iota(parents_.begin(), parents_.end(), 0U);
    for (const Constraint &constraint : system.constraints)
      if (const auto *equals = std::get_if<Equals>(&constraint))
        if (auto a = equals->lhs.variable(), b = equals->rhs.variable();
            a && b && (!alike || areAlike(system.variables[a->id], system.variables[b->id])))
          parents_[find(b->id)] = find(a->id);
  }
  unsigned find(unsigned id) {
    while (parents_[id] != id)
      id = parents_[id] = parents_[parents_[id]];
    return id;
  }

private:
  static bool areAlike(const VariableInfo &a, const VariableInfo &b) {
    return a.space == MemorySpace::Registers && b.space == MemorySpace::Registers && a.shape == b.shape &&
           a.bitwidth == b.bitwidth;
  }

  std::vector<unsigned> parents_;
};

/// Merges Divides constraints into one per variable, after all other constraints.
void mergeDivides(System &system) {
  std::vector<Constraint> others;
  std::vector<Divides> merges;
  std::vector<int> place(system.variables.size(), -1);
  for (Constraint &constraint : system.constraints) {
    auto *divides = std::get_if<Divides>(&constraint);
    auto variable = divides ? divides->expr.variable() : std::nullopt;
    if (!variable) {
      others.push_back(std::move(constraint));
    } else if (int &at = place[variable->id]; at < 0) {
      at = static_cast<int>(merges.size());
      merges.push_back(std::move(*divides));
    } else {
      merges[static_cast<size_t>(at)] = merged(merges[static_cast<size_t>(at)], *divides);
    }
  }
  std::ranges::move(merges, std::back_inserter(others));
  system.constraints = std::move(others);
}

} // namespace

Result<std::optional<System>> reduce(const System &system, const GpuTarget &target) {
  System out = system;
  mergeDivides(out);
  Propagation propagation(out, target);
  if (!LANESCOPE_TRY(propagation.start()))
    return std::nullopt;
  out.assignments = propagation.assignments();
  std::vector<Constraint> left;
  for (size_t i = 0; i < out.constraints.size(); ++i)
    if (propagation.isOpen(i))
      left.push_back(LANESCOPE_TRY(simplified(out.constraints[i], out.assignments)));
  out.constraints = std::move(left);
  return out;
}

void saturateNotSplat(System &system) {
  std::vector<bool> found = notSplats(system);
  std::vector<Constraint> added;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Constraint &constraint : system.constraints) {
      const auto *relayout = std::get_if<Relayout>(&constraint);
      if (!relayout)
        continue;
      auto source = relayout->source.variable(), target = relayout->target.variable();
      if (source && target && found[source->id] && !found[target->id]) {
        changed = found[target->id] = true;
        added.push_back(NotOfType{*target, LayoutKind::Splat});
      }
    }
  }
  std::ranges::move(added, std::back_inserter(system.constraints));
}

void equateStrictRelayouts(System &system) {
  const std::vector<bool> found = notSplats(system);
  for (Constraint &constraint : system.constraints)
    if (auto *relayout = std::get_if<Relayout>(&constraint); relayout && relayout->strict)
      if (auto source = relayout->source.variable(); source && found[source->id])
        constraint = Equals{relayout->source, relayout->target};
}

void saturateDivides(System &system, llvm::function_ref<bool(Variable, Variable)> before) {
  EqualVariables equal(system);
  std::map<unsigned, std::vector<Variable>> sets;
  for (unsigned id = 0; id < system.variables.size(); ++id)
    sets[equal.find(id)].push_back({id});
  for (auto &[first, members] : sets)
    std::ranges::stable_sort(members, before);
  std::vector<Constraint> out;
  for (Constraint &constraint : system.constraints) {
    const auto *divides = std::get_if<Divides>(&constraint);
    auto variable = divides ? divides->expr.variable() : std::nullopt;
    if (!variable) {
      out.push_back(std::move(constraint));
      continue;
    }
    const std::vector<int64_t> multiples = divides->multiples;
    out.push_back(std::move(constraint));
    for (Variable other : sets[equal.find(variable->id)])
      if (other != *variable)
        out.push_back(Divides{other, multiples});
  }
  system.constraints = std::move(out);
  mergeDivides(system);
}

std::optional<MergedSystem> mergeEquals(const System &system) {
  EqualVariables equal(system, /*alike=*/true);
  MergedSystem out;
  // Indexed by the first variable of a set of equal ones: the set's variable in the merged system; -1: none yet.
  std::vector<int> numbers(system.variables.size(), -1);
  for (unsigned id = 0; id < system.variables.size(); ++id) {
    int &number = numbers[equal.find(id)];
    if (number < 0)
      number = static_cast<int>(out.system.add(system.variables[id]).id);
    out.of.push_back({static_cast<unsigned>(number)});
    if (system.assignments[id] && !out.system.assign(out.of[id], system.assignments[id]))
      return std::nullopt;
  }
  for (Constraint constraint : system.constraints) {
    auto [first, second] = sidesOf(constraint);
    for (Expression *side : {first, second})
      if (auto *variable = side ? std::get_if<Variable>(&side->leaf) : nullptr)
        *variable = out.of[variable->id];
    const auto *equals = std::get_if<Equals>(&constraint);
    if (!equals || !(equals->lhs == equals->rhs))
      out.system.constraints.push_back(std::move(constraint));
  }
  return out;
}

void saturateDivides(System &system) {
  saturateDivides(system, [](Variable a, Variable b) { return a < b; });
}

} // namespace lanescope::core::constraints
