// The kinds of constraints between expressions.
//
//   Equals{a, Expression(b).reduced({1}, 2)}            a has b's layout without its columns
//   Relayout{a, b, 32, strict}                          a's layout is b's, or a constant's in b's
//   SmemTransfer{a, tile, {64, 64}, {64, 1}, 16, …}     instructions exist for this transfer
//
// `holds` defines each kind's meaning for constants. If expressions contain unknowns, `examine` may find the value of
// one. Source: JAX, jax/experimental/mosaic/gpu/constraints.py.
#pragma once

#include "core/gpu/inference/constraints/ConstraintExpressions.h"
#include "core/gpu/kernel/GpuTarget.h"

namespace lanescope::core::constraints {

struct Equals {
  Expression lhs, rhs;
};
/// `source` can be converted to `target`. Strict: only a splat is converted; other layouts must be equal. With a shape:
/// by any of our conversions for such an array (layouts/cost/RelayoutTable.h), not only by those that JAX's inference
/// allows.
struct Relayout {
  Expression source, target;
  int bitwidth;
  bool strict = false;
  std::optional<layouts::Shape> shape = {};
};
enum class LayoutKind { Splat, Strided, Tiled };
struct NotOfType {
  Expression expr;
  LayoutKind kind;
};
/// A transfer between tensor memory and registers, in either direction. The shape is two-dimensional. `any`: by any
/// instructions (layouts/cost/TmemTransferCost.h), not only by those that JAX's inference allows.
struct TmemTransfer {
  Expression source, target;
  layouts::Shape shape;
  int bitwidth;
  bool any = false;
};
/// Optimized: without bank conflicts. Downgradable: optimized only if the reference is tiled.
enum class TransferKind { Optimized, Unoptimized, Downgradable };
/// A transfer between shared memory and registers, in either direction.
struct SmemTransfer {
  Expression source, target;
  layouts::Shape shape;
  std::vector<int64_t> strides;
  int bitwidth;
  TransferKind kind;
};
/// A tile has at most as many dimensions as `multiples` has numbers, and the tile's sizes divide the last of these
/// numbers.
struct Divides {
  Expression expr;
  std::vector<int64_t> multiples;
};
/// The last size of the tile is a multiple of the number.
struct MinorDimDivisibleBy {
  Expression expr;
  int64_t divisor;
};
/// Tiles have eight rows, and as many columns as the swizzle covers.
struct ValidMmaTiling {
  Expression expr;
  int bitwidth;
  bool allowUnswizzled = false;
};
/// `source` can be repeated to `target`; dimension i of `source` is dimension dims[i] of `target`.
struct SupportedBroadcast {
  Expression source, target;
  std::vector<int64_t> dims;
};
/// Without the dimensions `axes`, the array `target` of `shape` has the layout `source`; or `target` repeats `source`
/// as a whole along these dimensions (DerivedLayouts.h).
struct Repeated {
  Expression source, target;
  layouts::Shape shape;
  std::vector<int64_t> axes;
};
struct OneOf {
  Expression expr;
  std::vector<Constant> allowed;
};

using Constraint = std::variant<Equals, Relayout, NotOfType, TmemTransfer, SmemTransfer, Divides, MinorDimDivisibleBy,
                                ValidMmaTiling, SupportedBroadcast, Repeated, OneOf>;

/// The expressions of a constraint; the second is null if it has only one.
std::pair<Expression *, Expression *> sidesOf(Constraint &constraint);
std::pair<const Expression *, const Expression *> sidesOf(const Constraint &constraint);

/// True if the constraint holds; it must consist of constants. Errors: cases in which JAX raises, such as a shape that
/// a tiling does not divide.
Result<bool> holds(const Constraint &constraint, const GpuTarget &target);

/// The fact that a constraint implies under the assignments.
struct Finding {
  enum Kind {
    True,
    False,
    Open,   // too little is known
    Assign, // `variable` must be `value`
  } kind;
  Variable variable = {};
  Constant value = {};
};
Result<Finding> examine(const Constraint &constraint, const Assignments &assignments, const GpuTarget &target);

/// The constraint with reduced expressions, in the simplest equivalent kind. `constraint` must be open.
Result<Constraint> simplified(const Constraint &constraint, const Assignments &assignments);

/// The text of the constraint, as JAX prints it.
std::string textOf(const Constraint &constraint, VariableName name);

/// Merges two constraints on one expression.
Divides merged(const Divides &a, const Divides &b);

/// True if a broadcast may have these layouts, by JAX's rule for strided layouts.
bool isSupportedBroadcast(const layouts::WGStridedFragLayout &source, const layouts::WGStridedFragLayout &target,
                          const std::vector<int64_t> &dims);

/// True if an instruction exists for the transfer (JAX, `is_valid_tmem_transfer`; without a check of the element's
/// width for TCGEN05 and WGMMA).
bool isTmemTransfer(const TmemTransfer &transfer, const layouts::TMEMLayout &tensor,
                    const layouts::RegisterLayout &registers);
/// True if an instruction exists for the transfer with shared memory (JAX, fragmented_array.py, `transfer_tiled`).
Result<bool> isSmemTransfer(const SmemTransfer &transfer, const SmemTransforms &transforms,
                            const layouts::RegisterLayout &registers, const GpuTarget &target);

} // namespace lanescope::core::constraints
