// Tiling: an ordered list of tiles applied to the trailing dimensions of an array. Each tile is applied to the result
// of the tile before it.
//
//   Tiling((64, 8), (16, 8), (8, 8), (1, 2)) on (128, 128)  ->  (2, 16, 4, 1, 2, 1, 8, 4, 1, 2)
//
// For a tile of rank r, the last r dimensions (d1 … dr) become (d1/t1 … dr/tr, t1 … tr); leading dimensions stay. A
// tiling is not a layout: it does not assign dimensions to warps or lanes (see TiledLayout).
#pragma once

#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::layouts {

class Tiling {
public:
  Tiling() = default;
  /// Checks each tile, in this order: the rank never increases, the tile is not empty, sizes are positive. An empty
  /// list is the identity. Beyond JAX's checks, there may be at most 64 tiles of rank 32, so that no text makes the
  /// quadratic parts of the algebra slow.
  static Result<Tiling> make(std::vector<Shape> tiles);

  const std::vector<Shape> &tiles() const { return tiles_; }
  /// Error "does not apply": a tile's rank is too large, or a size is not divisible.
  Result<Shape> tileShape(const Shape &shape) const;
  /// Law: untileShape(tileShape(s)) == s.
  Result<Shape> untileShape(const Shape &tiled) const;
  /// The strides of the tiled dimensions; rank(strides) >= rank of the first tile. Saturates on overflow.
  Shape tileStrides(const Shape &strides) const;
  Shape tileIndices(const Shape &indices) const;
  /// Law: untileIndices(tileIndices(i)) == i.
  Shape untileIndices(const Shape &indices) const;
  /// Marks the tiled dimensions (base dimensions first) that come from logical dimension `dim` of the first tile.
  Result<std::vector<bool>> tileDimension(int64_t dim) const;
  /// The tiling of an array from which dimension `dim` of the first tile was removed.
  Result<Tiling> removeDimension(int64_t dim) const;
  /// Drops tiles without effect and leading ones of later tiles: (8, 8)(1, 4) -> (8, 8)(4,).
  Tiling canonicalize() const;
  /// The shorthand that snippets accept: `Tiling((64, 8), (16, 8))`.
  std::string str() const;
  bool operator==(const Tiling &) const = default;

private:
  std::vector<Shape> tiles_;
};

/// Python's text of the tuple of tiles: `((64, 8), (2,))`, `((4,),)`.
std::string tilesText(const std::vector<Shape> &tiles);

struct NestedShapeStrides {
  std::vector<Shape> shape;   // per tiled dimension, its sub-dimensions, major to minor
  std::vector<Shape> strides; // with the same structure
};
/// Tiles an array whose logical dimensions are lists of sub-dimensions (a memory reference that is already tiled).
Result<NestedShapeStrides> tileNestedShapeStrides(const Tiling &tiling, const std::vector<Shape> &shape,
                                                  const std::vector<Shape> &strides);

} // namespace lanescope::layouts
