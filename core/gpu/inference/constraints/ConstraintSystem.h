// A system of constraints: variables, known values, and constraints; and the derivation of what follows without a
// choice.
//
//   System s; Variable a = s.add(info), b = s.add(info);
//   s.constraints = {Equals{a, b}, Equals{a, Constant(catalogue::wgmma())}};
//   reduce(s)  ->  a = b = WGMMA, and no constraint
//
// # Tutorial
//
// tests/unit/inference/ConstraintsTest.cpp checks each step.
//
// ## 1. Layouts are unknowns, operations relate them
//
// A kernel's text does not say which thread holds which element. Its operations narrow that down. Each array of a
// warpgroup is a variable; its value is a register layout:
//
//   x = load(ref)              v0: 128 x 128
//   y = exp(x)                 v1: 128 x 128     0: Equals{v1, v0}
//   wgmma(accumulator y, …)                      1: Equals{v1, WGMMA}
//   s = sum(y, axis=1)         v2: 128           2: Equals{v2, Expression(v1).reduced({1}, 2)}
//   store(y)                   v3: 128 x 128     3: Relayout{v1, v3, 16}
//
// exp works element by element, so its result has the layout of its operand (0). The instruction fixes the registers of
// its accumulator (1). A sum over columns leaves each row's sum in the threads that held the row: the layout without
// its columns (2). The operand of the store has a variable of its own: y, with elements of 16 bits, may be converted on
// the way (3).
//
// ## 2. Some values follow without a choice
//
// `reduce` examines the constraints in their order, pass after pass, until nothing new follows. The first pass cannot
// use 0, because neither side is known. It takes v1 = WGMMA from 1 and v2 = WGMMA_ROW from 2. 3 stays open: v3 is
// unknown. The second pass examines only constraints with a variable that has become known. It takes v0 = WGMMA from 0.
// One constraint is left, as JAX prints it:
//
//   Relayout(C(TiledLayout(…))  ⟶ V(v3))
//
// ## 3. A contradiction is a result, too
//
// Let another operation demand 4: Equals{v0, WGMMA_TRANSPOSED}. No layouts satisfy all five, and `reduce` returns
// nothing. `search` (Search.h) returns Unsatisfiable and the constraint that cannot hold, so that a message can name
// the operation: 0, whose sides have both become known. If a conversion were allowed between v0 and v1, the system
// would have a solution: Relayout{WGMMA, WGMMA_TRANSPOSED, 16} holds.
//
// ## 4. The rest is a search
//
// v3 may have many values. `search` takes the candidates that the open constraints suggest (Candidates.h), first those
// that need no conversion. So v3 becomes WGMMA, with one candidate tried. A candidate may be wrong. In another kernel,
// an array v0 is loaded from shared memory in tiles of (64, 64), with columns that are contiguous (strides (1, 128)):
//
//   SmemTransfer{tile (64, 64), v0, {128, 128}, {1, 128}, 32, Unoptimized}
//
// The constraint suggests WGMMA, then WGMMA_TRANSPOSED. No instruction makes the first transfer, so propagation finds a
// contradiction, the search undoes the assignment and takes the second: solved, with two candidates tried.
//
// ## 5. Implied constraints shorten the search
//
// A kernel uses slices of 128 x 64 and of 96 x 64 of a reference v0, so its tiles must divide both. Such tiles divide
// the greatest common divisors. Two constraints become one, and tilings that violate either are never tried:
//
//   Divides{v0, {128, 64}}, Divides{v0, {96, 64}}   ->   (32, 64) % V(v0) == 0
//
// The functions below whose names begin with `saturate` and `equate` add more of this kind. Source: JAX,
// jax/experimental/mosaic/gpu/constraints.py.
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
  /// The text of the system, as JAX prints it.
  std::string text(VariableName name) const;
};

/// Joins two systems of the same variables; nothing if a variable would have two values.
std::optional<System> intersection(const System &a, const System &b);

/// The rest of a system after all that follows has been derived; nothing on a contradiction. Errors: cases in which JAX
/// raises.
Result<std::optional<System>> reduce(const System &system, const GpuTarget &target = defaultGpuTarget());

//===--- implied constraints, which shorten the search ---===//

/// A value that is not a splat cannot be converted to a splat.
void saturateNotSplat(System &system);
/// Strict conversions of values that are not splats become equalities.
void equateStrictRelayouts(System &system);
/// Copies a Divides constraint on one of several equal variables to all of them. Then merges these constraints, so that
/// each variable has at most one, after all other constraints. `before` orders equal variables; JAX's order is that of
/// their names.
void saturateDivides(System &system, llvm::function_ref<bool(Variable, Variable)> before);
void saturateDivides(System &system);

/// A system with one variable for all arrays that are equal and of one shape and width.
struct MergedSystem {
  System system;
  std::vector<Variable> of; // indexed by variable of the original system: its variable in `system`
};
/// Returns nothing if two equal variables have different values.
std::optional<MergedSystem> mergeEquals(const System &system);

} // namespace lanescope::core::constraints
