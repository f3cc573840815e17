// How the 128 threads of a warpgroup hold an array in registers: JAX Mosaic GPU's fragmented-array layouts.
//
//   WGMMA at (64, 8): warp = (r/16)%4, lane = (r%8)*4 + c/2, register = (r%16)/8, vector position = c%2
//
// A Tiling cuts the array into tiled dimensions. A TiledLayout names those that are spread over warps, over lanes and
// within a register's vector; the remaining dimensions number the registers, in row-major order.
//
// All classes are values; make() validates and returns canonical layouts. ElementMap gives the owners of elements.
#pragma once

#include "layouts/Dtype.h"
#include "layouts/Tiling.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::layouts {

constexpr int kWarpsPerWarpgroup = 4;
constexpr int kLanesPerWarp = 32;
constexpr int kThreadsPerWarpgroup = 128;

/// A partition entry that is no dimension of the array: it makes `times` copies.
struct Replicated {
  int64_t times = 1;
  bool operator==(const Replicated &) const = default;
};
/// One entry of warp_dims or lane_dims: a negative tiled dimension, or a replication. First entry = most significant.
using PartitionDim = std::variant<int64_t, Replicated>;

class TiledLayout {
public:
  /// Makes the checks of JAX's constructor, in its order: duplicates, negative dimensions, range, products of 4 warps
  /// and 32 lanes, canonical form.
  static Result<TiledLayout> make(Tiling tiling, std::vector<PartitionDim> warpDims, std::vector<PartitionDim> laneDims,
                                  int64_t vectorDim);
  /// Like make(), but accepts a non-canonical spelling and canonicalises it.
  static Result<TiledLayout> makeCanonical(Tiling tiling, std::vector<PartitionDim> warpDims,
                                           std::vector<PartitionDim> laneDims, int64_t vectorDim);

  const Tiling &tiling() const { return tiling_; }
  const std::vector<PartitionDim> &warpDims() const { return warpDims_; }
  const std::vector<PartitionDim> &laneDims() const { return laneDims_; }
  int64_t vectorDim() const { return vectorDim_; }

  const Shape &baseTile() const { return tiling_.tiles().front(); }
  /// The constant suffix of every tiled array; negative dims index into it from the back.
  const Shape &tiledTilingShape() const { return tiledTilingShape_; }
  /// Size of a tiled dimension by its negative number; `dim` must be in range.
  int64_t dimSize(int64_t dim) const { return tiledTilingShape_[tiledTilingShape_.size() + dim]; }
  /// True if a negative tiled dimension is spread over warps, over lanes or within the vector (not over registers).
  bool isPartitioned(int64_t dim) const;
  int64_t vectorLength() const { return dimSize(vectorDim_); }
  /// The number of threads that hold each element.
  int64_t replication() const;
  /// The tiled shape with the warp, lane and vector dimensions set to one.
  Result<Shape> registersShape(const Shape &shape) const;
  Result<Shape> shapeFromRegistersShape(const Shape &registersShape) const;
  /// The layout of an array without dimension `axis` of the base tile; threads that were spread along it hold copies.
  Result<TiledLayout> removeDimension(int64_t axis) const;
  /// removeDimension over the axes (of the base tile), from the last to the first.
  Result<TiledLayout> reduce(std::vector<int64_t> axes) const;
  /// Cuts tile `tileIndex` once more by `newTile` of the same rank.
  Result<TiledLayout> subdivideTile(size_t tileIndex, Shape newTile) const;
  TiledLayout canonicalize() const;
  bool operator==(const TiledLayout &) const = default;

private:
  TiledLayout() = default;
  static Result<TiledLayout> makeUnchecked(Tiling tiling, std::vector<PartitionDim> warpDims,
                                           std::vector<PartitionDim> laneDims, int64_t vectorDim);
  Result<void> check() const;

  Tiling tiling_;
  std::vector<PartitionDim> warpDims_, laneDims_;
  int64_t vectorDim_ = -1;
  Shape tiledTilingShape_;
};

/// Row-major chunks of vecSize elements. They go to the 128 threads one after another, and begin again with thread 0.
class WGStridedFragLayout {
public:
  /// Error: 128 * vecSize does not divide the element count.
  static Result<WGStridedFragLayout> make(Shape shape, int64_t vecSize);
  /// JAX's default for a shape and element width; nullopt if no vector size divides it.
  static std::optional<WGStridedFragLayout> fromShapedType(const Shape &shape, int bitwidth);
  const Shape &shape() const { return shape_; }
  int64_t vecSize() const { return vecSize_; }
  int64_t registers() const;
  bool operator==(const WGStridedFragLayout &) const = default;

private:
  Shape shape_;
  int64_t vecSize_ = 1;
};

/// Every thread holds the single value of a constant array.
struct WGSplatFragLayout {
  Shape shape;
  /// True if, with both shapes aligned at the end, each size equals the target's or is one.
  bool canBroadcastTo(const Shape &target) const;
  bool operator==(const WGSplatFragLayout &) const = default;
};

using RegisterLayout = std::variant<WGSplatFragLayout, WGStridedFragLayout, TiledLayout>;

/// Elements per register; 1 for a splat.
int64_t vectorLength(const RegisterLayout &layout);
/// The register array of one thread; `()` for a splat. Error: the layout does not apply to `shape`.
Result<Shape> registersShape(const RegisterLayout &layout, const Shape &shape);
/// Returns an error if the layout does not apply to `shape`.
Result<void> checkApplies(const RegisterLayout &layout, const Shape &shape);

/// JAX's Python form: `TiledLayout(tiling=Tiling(tiles=((64, 8), …)), warp_dims=(-7,), lane_dims=(-3, -2),
/// vector_dim=-1)`.
std::string jaxText(const TiledLayout &layout);
std::string jaxText(const WGStridedFragLayout &layout);
std::string jaxText(const WGSplatFragLayout &layout);
std::string jaxText(const RegisterLayout &layout);
/// The MLIR attribute: `#mosaic_gpu.TiledLayout<[[64, 8], …], warp_dims = [-7], lane_dims = [-3, -2], vector_dim =
/// -1>`.
std::string mlirText(const TiledLayout &layout);
std::string mlirText(const WGStridedFragLayout &layout);
std::string mlirText(const WGSplatFragLayout &layout);
std::string mlirText(const RegisterLayout &layout);

} // namespace lanescope::layouts
