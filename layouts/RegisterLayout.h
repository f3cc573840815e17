// How the 128 threads of a warpgroup hold an array in registers: JAX Mosaic GPU's fragmented-array layouts.
//
//   WGMMA at (64, 8): warp = (r/16)%4, lane = (r%8)*4 + c/2, register = (r%16)/8, vector position = c%2
//
// All classes are values; make() validates and returns canonical layouts. See ElementMap for "who holds what".
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

/// A partition entry that does not come from the array: `times` copies.
struct Replicated {
  int64_t times = 1;
  bool operator==(const Replicated &) const = default;
};
/// One entry of warp_dims or lane_dims: a negative tiled dimension, or a replication. First entry = most significant.
using PartitionDim = std::variant<int64_t, Replicated>;

class TiledLayout {
public:
  /// The checks of JAX's constructor in its order (duplicates, negative, range, products 4 and 32, canonical).
  static Result<TiledLayout> make(Tiling tiling, std::vector<PartitionDim> warpDims, std::vector<PartitionDim> laneDims,
                                  int64_t vectorDim);
  /// As make(), but accepts a non-canonical spelling and canonicalises it.
  static Result<TiledLayout> makeCanonical(Tiling tiling, std::vector<PartitionDim> warpDims,
                                           std::vector<PartitionDim> laneDims, int64_t vectorDim);

  const Tiling &tiling() const { return tiling_; }
  const std::vector<PartitionDim> &warpDims() const { return warpDims_; }
  const std::vector<PartitionDim> &laneDims() const { return laneDims_; }
  int64_t vectorDim() const { return vectorDim_; }

  const Shape &baseTile() const { return tiling_.tiles().front(); }
  /// The constant suffix of every tiled array; negative dims index into it from the back.
  const Shape &tiledTilingShape() const { return tiledTilingShape_; }
  int64_t vectorLength() const;
  int64_t replication() const;
  Result<Shape> registersShape(const Shape &shape) const;
  Result<Shape> shapeFromRegistersShape(const Shape &registersShape) const;
  Result<TiledLayout> reduce(std::vector<int64_t> axes) const;
  TiledLayout canonicalize() const;
  bool operator==(const TiledLayout &) const = default;

private:
  TiledLayout() = default;
  Tiling tiling_;
  std::vector<PartitionDim> warpDims_, laneDims_;
  int64_t vectorDim_ = -1;
  Shape tiledTilingShape_;
};

/// Row-major chunks of vecSize elements dealt to the 128 threads in turn.
class WGStridedFragLayout {
public:
  static Result<WGStridedFragLayout> make(Shape shape, int64_t vecSize);
  /// JAX's default for a shape and element width; nullopt where no vector size divides it.
  static std::optional<WGStridedFragLayout> fromShapedType(const Shape &shape, int bitwidth);
  const Shape &shape() const { return shape_; }
  int64_t vecSize() const { return vecSize_; }
  int64_t registers() const;
  bool operator==(const WGStridedFragLayout &) const = default;

private:
  Shape shape_;
  int64_t vecSize_ = 1;
};

/// Every thread holds the one value of a constant array.
struct WGSplatFragLayout {
  Shape shape;
  bool canBroadcastTo(const Shape &target) const;
  bool operator==(const WGSplatFragLayout &) const = default;
};

using RegisterLayout = std::variant<WGSplatFragLayout, WGStridedFragLayout, TiledLayout>;

/// JAX's Python form: `TiledLayout(tiling=Tiling(tiles=((64, 8), …)), warp_dims=(-7,), lane_dims=(-3, -2),
/// vector_dim=-1)`.
std::string jaxText(const RegisterLayout &layout);
/// The MLIR attribute: `#mosaic_gpu.TiledLayout<[[64, 8], …], warp_dims = [-7], lane_dims = [-3, -2], vector_dim =
/// -1>`.
std::string mlirText(const RegisterLayout &layout);

} // namespace lanescope::layouts
