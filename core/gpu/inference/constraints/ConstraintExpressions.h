// Expressions: an unknown or a constant, and the steps applied to it. Steps are reductions and reshapes for layouts,
// and transposes and collapses for transforms.
//
//   Expression(v).reduced({1}, 2)          Reduce([(1,)], V(v), rank=2, keep_dims=False)
//   worth(that, {v: WGMMA})                WGMMA_ROW
//
// An expression of a known layout may have no value: a reshape that would move elements between threads cannot be
// reduced, and equals nothing. Source: JAX, jax/experimental/mosaic/gpu/constraints.py, `reduce_expression`.
#pragma once

#include "core/gpu/inference/constraints/Constants.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lanescope::core::constraints {

/// Removes the dimensions `axes` (ascending) of an array of `rank` dimensions; `keepDims`: they stay, with size one.
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
/// Dimension i of the result is dimension permutation[i] of the source.
struct Transpose {
  std::vector<int64_t> permutation;
  bool operator==(const Transpose &) const = default;
};
/// Each entry of `reassociation` is the number of dimensions of `source` that are joined into one.
struct CollapseShape {
  layouts::Shape source;
  std::vector<int64_t> reassociation;
  bool operator==(const CollapseShape &) const = default;
};
/// The way in which our lowering turns an array of shape `source` into one of shape `target` (DerivedLayouts.h): it
/// removes the dimensions `axes`, or reads the elements in row-major order, or takes some tiles, or adds tiles. If the
/// layout does not permit this, the expression has no value.
struct Derive {
  enum Kind { Reduced, Reshaped, Part, LeadingPart } kind;
  layouts::Shape source, target;
  std::vector<int64_t> axes = {}; // for Reduced
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

  /// The variable or the constant that the expression consists of; nothing, or null, if it has steps.
  std::optional<Variable> variable() const;
  const Constant *constant() const;

  bool operator==(const Expression &) const = default;

  std::variant<Variable, Constant> leaf;
  std::vector<Step> steps; // in order of application
};

/// The values of variables, indexed by variable; an empty constant stands for an unknown value.
using Assignments = std::vector<Constant>;
/// The name of a variable in messages and dumps.
using VariableName = llvm::function_ref<std::string(Variable)>;

/// Errors: a group without dimensions; groups that do not cover the shape.
Result<void> checkReassociation(const layouts::Shape &source, const std::vector<int64_t> &reassociation);

/// Reduces the expression under the assignments; nothing if it has no value under any assignment, because a transpose
/// or a collapse would break a tiling apart. Errors: cases in which JAX raises.
Result<std::optional<Expression>> reduceExpression(const Expression &expression, const Assignments &assignments);

/// The text of the expression, as JAX prints it.
std::string textOf(const Expression &expression, VariableName name);

} // namespace lanescope::core::constraints
