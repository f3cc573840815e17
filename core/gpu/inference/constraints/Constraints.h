// What must hold between expressions.
//
//   Equals{a, Expression(b).reduced({1}, 2)}            a has b's layout without its columns
//   Relayout{a, b, 32, strict}                          a's layout, or a constant's in b's
//   SmemTransfer{a, tile, {64, 64}, {64, 1}, 16, …}     there is a way from registers to that memory
//
// Each kind's meaning for constants is `holds`; with unknowns in it, it may say what one of them is (`examine`).
// Source: JAX, jax/experimental/mosaic/gpu/constraints.py.
#pragma once

#include "core/gpu/inference/constraints/Expressions.h"

namespace lanescope::core::constraints {

struct Equals {
  Expression lhs, rhs;
};
/// `source` can be converted to `target`. Strict: only a splat is, all else is equal. With a shape: by any conversion
/// of ours for such an array (layouts/cost/RelayoutTable.h), not only by those that JAX's inference believes in.
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
/// Between tensor memory and registers, in either direction. The shape is two-dimensional. `any`: by any instructions
/// (layouts/cost/TmemTransfer.h), not only by those that JAX's inference believes in.
struct TmemTransfer {
  Expression source, target;
  layouts::Shape shape;
  int bitwidth;
  bool any = false;
};
/// Optimized: without bank conflicts. Downgradable: so where the reference is tiled.
enum class TransferKind { Optimized, Unoptimized, Downgradable };
/// Between shared memory and registers, in either direction.
struct SmemTransfer {
  Expression source, target;
  layouts::Shape shape;
  std::vector<int64_t> strides;
  int bitwidth;
  TransferKind kind;
};
/// The tiles divide the trailing numbers, and have no more dimensions.
struct Divides {
  Expression expr;
  std::vector<int64_t> multiples;
};
/// The last size of the tile is a multiple.
struct MinorDimDivisibleBy {
  Expression expr;
  int64_t divisor;
};
/// Tiles of eight rows and as many columns as the swizzle has.
struct ValidMmaTiling {
  Expression expr;
  int bitwidth;
  bool allowUnswizzled = false;
};
/// `source` can be repeated to `target`, whose dimension dims[i] is dimension i.
struct SupportedBroadcast {
  Expression source, target;
  std::vector<int64_t> dims;
};
/// `source` is `target`, of `shape`, without the dimensions `axes`; or `target` is `source` repeated as a whole along
/// them (DerivedLayouts.h).
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

/// The architecture decides which instructions move matrices, and which layouts are tried first.
struct Target {
  int major = 9, minor = 0;
  bool isHopper() const { return major == 9 && minor == 0; }
};

/// The expressions of a constraint; the second is null where it has one.
std::pair<Expression *, Expression *> sidesOf(Constraint &constraint);
std::pair<const Expression *, const Expression *> sidesOf(const Constraint &constraint);

/// Whether it holds, for a constraint of constants alone. Errors: what JAX does not answer, as a shape that a tiling
/// does not divide.
Result<bool> holds(const Constraint &constraint, const Target &target);

/// What a constraint says under the assignments.
struct Finding {
  enum Kind {
    True,
    False,
    Open,   // not enough is known
    Assign, // `variable` is `value`
  } kind;
  Variable variable = {};
  Constant value = {};
};
Result<Finding> examine(const Constraint &constraint, const Assignments &assignments, const Target &target);

/// The constraint with its expressions reduced, in the simplest kind that says the same. `constraint` is open.
Result<Constraint> simplified(const Constraint &constraint, const Assignments &assignments);

/// As JAX prints it.
std::string textOf(const Constraint &constraint, VariableName name);

/// Both constraints in one, of one expression.
Divides merged(const Divides &a, const Divides &b);

/// The register layouts that can be a broadcast's, by the rule of strided ones.
bool isSupportedBroadcast(const layouts::WGStridedFragLayout &source, const layouts::WGStridedFragLayout &target,
                          const std::vector<int64_t> &dims);

/// Whether there is an instruction for that (JAX, `is_valid_tmem_transfer`; without a check of the element's width for
/// TCGEN05 and WGMMA).
bool isTmemTransfer(const TmemTransfer &transfer, const layouts::TMEMLayout &tensor,
                    const layouts::RegisterLayout &registers);
/// The same for shared memory (JAX, fragmented_array.py, `transfer_tiled`).
Result<bool> isSmemTransfer(const SmemTransfer &transfer, const SmemTransforms &transforms,
                            const layouts::RegisterLayout &registers, const Target &target);

} // namespace lanescope::core::constraints
