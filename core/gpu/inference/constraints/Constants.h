// The unknowns of layout inference and their possible values: variables, and the layouts and transforms assigned to
// them.
//
//   Constant(catalogue::wgmma()).text()                  ->  C(TiledLayout(tiling=…, vector_dim=-1))
//   Constant(SmemTransforms{{{8, 64}}, 128}).text()      ->  C(TileTransform(tiling=(8, 64), rounding=None), 128)
//
// A variable stands for the values of a kernel that have one layout. This room does not depend on the IR: VariableInfo
// has the facts about the values that rules need. Source of the model: JAX, jax/experimental/mosaic/gpu/constraints.py.
#pragma once

#include "core/gpu/ir/SmemTransforms.h"

#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::core::constraints {

enum class MemorySpace { Registers, Shared, Tensor };

/// The index of a variable in its system.
struct Variable {
  unsigned id = 0;
  auto operator<=>(const Variable &) const = default;
};

/// The facts about a variable's values that rules need.
struct VariableInfo {
  MemorySpace space = MemorySpace::Registers;
  layouts::Shape shape;
  int bitwidth = 32;                   // per element; 0: its width is not a power of two
  std::vector<int64_t> strides = {};   // for a reference, in elements
  std::optional<bool> allocation = {}; // for an allocation of tensor memory: true if two blocks share it
};

/// A register layout, a layout of tensor memory, or the transforms of shared memory. Copies of a Constant share one
/// value.
class Constant {
public:
  using Value = std::variant<layouts::RegisterLayout, layouts::TMEMLayout, SmemTransforms>;

  Constant() = default; // no value, for an unassigned variable
  Constant(layouts::RegisterLayout layout);
  Constant(layouts::TiledLayout layout);
  Constant(layouts::TMEMLayout layout);
  Constant(SmemTransforms transforms);

  explicit operator bool() const { return value_ != nullptr; }
  /// Returns null if the constant is of another kind.
  const layouts::RegisterLayout *registers() const { return std::get_if<layouts::RegisterLayout>(value_.get()); }
  const layouts::TMEMLayout *tensor() const { return std::get_if<layouts::TMEMLayout>(value_.get()); }
  const SmemTransforms *shared() const { return std::get_if<SmemTransforms>(value_.get()); }
  const layouts::TiledLayout *tiled() const;
  const layouts::WGStridedFragLayout *strided() const;
  const layouts::WGSplatFragLayout *splat() const;

  bool operator==(const Constant &other) const;
  /// JAX's text for the constant. `text` writes it alone, the other function as an entry of a list.
  std::string text() const;
  std::string listText() const;

private:
  std::shared_ptr<const Value> value_;
};

/// True if the variable's values can have the layout: its tiles divide the shape, it is made for this shape, the
/// swizzle fits the contiguous dimension. Errors are cases in which JAX raises: a reference without a contiguous
/// dimension, elements without a width, an empty tiling.
Result<bool> isValidAssignment(const VariableInfo &info, const Constant &constant);

/// Strides of a reference whose trailing dimensions are split into tiles that are stored one after another: (2048, 32,
/// 1) in tiles of (8, 4) -> (2048, 256, 32, 4, 1). Errors: tiled dimensions do not have the smallest strides; a stride
/// is not a multiple of the tile below it.
Result<layouts::Shape> tiledStrides(const std::vector<int64_t> &strides, const layouts::Shape &tiling);

} // namespace lanescope::core::constraints
