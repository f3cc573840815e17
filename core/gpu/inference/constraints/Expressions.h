// What a layout becomes when its array is reduced or reshaped, and transforms when their reference is transposed or
// collapsed: an unknown or a constant, and what is done to it.
//
//   Expression(v).reduced({1}, 2)          Reduce([(1,)], V(v), rank=2, keep_dims=False)
//   worth(that, {v: WGMMA})                WGMMA_ROW
//
// An expression of a known layout need not have a value: a reshape that would move elements between threads stays as it
// is, and nothing equals it. Source: JAX, jax/experimental/mosaic/gpu/constraints.py, `reduce_expression`.
#pragma once

#include "core/gpu/inference/constraints/Constants.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lanescope::core::constraints {

/// Without dimensions `axes` (ascending) of an array of `rank` dimensions; `keepDims`: they stay, of size one.
struct Reduce {
  std::vector<int64_t> axes;
  int64_t rank;
  bool keepDims = false;
  bool operator==(const Reduce &) const = default;
};
struct Reshape {
  layouts::Shape source, target;
  bool operator==(const Reshape &) const = default;
};
/// Dimension i is permutation[i] of what is transposed.
struct Transpose {
  std::vector<int64_t> permutation;
  bool operator==(const Transpose &) const = default;
};
/// As many dimensions of `source` become one as each entry of `reassociation` says.
struct CollapseShape {
  layouts::Shape source;
  std::vector<int64_t> reassociation;
  bool operator==(const CollapseShape &) const = default;
};
/// As the lowering of ours takes an array of `source` to one of `target` (DerivedLayouts.h): without the dimensions
/// `axes`; in row-major order; some tiles of it, or it as some tiles of `target`. Where that is not possible, the
/// expression has no value.
struct Derive {
  enum Kind { Reduced, Reshaped, Part, LeadingPart } kind;
  layouts::Shape source, target;
  std::vector<int64_t> axes = {}; // of Reduced
  bool operator==(const Derive &) const = default;
};
using Step = std::variant<Reduce, Reshape, Transpose, CollapseShape, Derive>;

struct Expression {
  Expression(Variable variable) : leaf(variable) {}
  Expression(Constant constant) : leaf(std::move(constant)) {}

  Expression reduced(std::vector<int64_t> axes, int64_t rank, bool keepDims = false) const;
  Expression reshaped(layouts::Shape source, layouts::Shape target) const;
  Expression transposed(std::vector<int64_t> permutation) const;
  Expression collapsed(layouts::Shape source, std::vector<int64_t> reassociation) const;

  Expression derived(Derive step) const;

  /// The variable or the constant itself; nothing and null where something is done to it.
  std::optional<Variable> variable() const;
  const Constant *constant() const;

  bool operator==(const Expression &) const = default;

  std::variant<Variable, Constant> leaf;
  std::vector<Step> steps; // the first is done first
};

/// By variable; without a value where it is not known.
using Assignments = std::vector<Constant>;
/// What messages and dumps call a variable.
using VariableName = llvm::function_ref<std::string(Variable)>;

/// Errors: a group of no dimension; groups that are not all of the shape.
Result<void> checkReassociation(const layouts::Shape &source, const std::vector<int64_t> &reassociation);

/// What is left of the expression under the assignments; nothing where it has no value under any (a tiling that a
/// transpose or a collapse takes apart). Errors: what JAX does not answer.
Result<std::optional<Expression>> reduceExpression(const Expression &expression, const Assignments &assignments);

/// As JAX prints it.
std::string textOf(const Expression &expression, VariableName name);

} // namespace lanescope::core::constraints
