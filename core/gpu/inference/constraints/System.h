// Variables, what is known of them, and what must hold: a system of constraints, and what follows from it without a
// choice.
//
//   System s; Variable a = s.add(info), b = s.add(info);
//   s.constraints = {Equals{a, b}, Equals{a, Constant(catalogue::wgmma())}};
//   reduce(s)  ->  a = b = WGMMA, and no constraint
//
// Choices are Search.h's. Source: JAX, jax/experimental/mosaic/gpu/constraints.py.
#pragma once

#include "core/gpu/inference/constraints/Constraints.h"

#include <functional>

namespace lanescope::core::constraints {

struct System {
  std::vector<VariableInfo> variables;
  Assignments assignments; // one per variable
  std::vector<Constraint> constraints;

  Variable add(VariableInfo info);
  /// False where the variable is something else already.
  bool assign(Variable variable, const Constant &constant);
  /// Variables that constraints name and that have no value, in the order in which they are named.
  std::vector<Variable> unknowns() const;
  /// As JAX prints a system.
  std::string text(VariableName name) const;
};

/// Both systems in one, of the same variables; nothing where a variable would be two things.
std::optional<System> intersection(const System &a, const System &b);

/// What is left of a system when all that follows has followed; nothing where that is a contradiction. Errors: what JAX
/// does not answer.
Result<std::optional<System>> reduce(const System &system, const Target &target = {});

//===--- constraints that follow, and make the search short ---===//

/// What a value that is no splat is converted to, is none.
void saturateNotSplat(System &system);
/// Strict conversions of what is no splat are equalities.
void equateStrictRelayouts(System &system);
/// What divides one of several equal variables divides all; one constraint for each variable, after all others.
/// `before` is the order of equal variables; JAX's is that of their names.
void saturateDivides(System &system, llvm::function_ref<bool(Variable, Variable)> before);
void saturateDivides(System &system);

/// A system with one variable for all arrays that are equal and alike (of one shape and width).
struct MergedSystem {
  System system;
  std::vector<Variable> of; // by variable of the system that was merged
};
/// Nothing where two that are equal have different values.
std::optional<MergedSystem> mergeEquals(const System &system);

} // namespace lanescope::core::constraints
