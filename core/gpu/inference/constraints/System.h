// A system of constraints: variables, known values, and constraints; and the derivation of what follows without a
// choice.
//
//   System s; Variable a = s.add(info), b = s.add(info);
//   s.constraints = {Equals{a, b}, Equals{a, Constant(catalogue::wgmma())}};
//   reduce(s)  ->  a = b = WGMMA, and no constraint
//
// Search.h has the choices. Source: JAX, jax/experimental/mosaic/gpu/constraints.py.
#pragma once

#include "core/gpu/inference/constraints/Constraints.h"

#include <functional>

namespace lanescope::core::constraints {

struct System {
  std::vector<VariableInfo> variables;
  Assignments assignments; // one per variable
  std::vector<Constraint> constraints;

  Variable add(VariableInfo info);
  /// Returns false if the variable already has another value.
  bool assign(Variable variable, const Constant &constant);
  /// Variables without a value that appear in constraints, in order of appearance.
  std::vector<Variable> unknowns() const;
  /// As JAX prints a system.
  std::string text(VariableName name) const;
};

/// Joins two systems of the same variables; nothing if a variable would have two values.
std::optional<System> intersection(const System &a, const System &b);

/// The rest of a system after all that follows has been derived; nothing on a contradiction. Errors: cases in which JAX
/// raises.
Result<std::optional<System>> reduce(const System &system, const Target &target = {});

//===--- implied constraints, which shorten the search ---===//

/// A value that is not a splat is not converted to one.
void saturateNotSplat(System &system);
/// Strict conversions of values that are not splats become equalities.
void equateStrictRelayouts(System &system);
/// A Divides constraint on one of several equal variables applies to all; there is then one per variable, after all
/// other constraints. `before` orders equal variables; JAX's order is that of their names.
void saturateDivides(System &system, llvm::function_ref<bool(Variable, Variable)> before);
void saturateDivides(System &system);

/// A system with one variable for all arrays that are equal and of one shape and width.
struct MergedSystem {
  System system;
  std::vector<Variable> of; // by variable of the original system
};
/// Nothing if two equal variables have different values.
std::optional<MergedSystem> mergeEquals(const System &system);

} // namespace lanescope::core::constraints
