// Tiling: an ordered list of tiles applied to the trailing dimensions of an array, each to the result of the one
// before.
//
//   Tiling((64, 8), (16, 8), (8, 8), (1, 2)) on (128, 128)  ->  (2, 16, 4, 1, 2, 1, 8, 4, 1, 2)
//
// The last r dimensions (d1 … dr) become (d1/t1 … dr/tr, t1 … tr) for a tile of rank r; leading dimensions stay.
// Not a layout: it does not say which dimension is spread over warps or lanes (see TiledLayout).
#pragma once

#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::layouts {

class Tiling {
public:
  Tiling() = default;
  /// Checks, per tile in this order: rank never increases, not empty, sizes positive. An empty list is the identity.
  /// Ours alone: at most 64 tiles of rank 32, so that no text makes the quadratic parts of the algebra slow.
  static Result<Tiling> make(std::vector<Shape> tiles);

  const std::vector<Shape> &tiles() const { return tiles_; }
  /// Error "does not apply" when a tile's rank is too large or a size is not divisible.
  Result<Shape> tileShape(const Shape &shape) const;
  /// Law: untileShape(tileShape(s)) == s.
  Result<Shape> untileShape(const Shape &tiled) const;
  /// Strides of the tiled dims; rank(strides) >= rank of the first tile. Saturates on overflow.
  Shape tileStrides(const Shape &strides) const;
  Shape tileIndices(const Shape &indices) const;
  /// Law: untileIndices(tileIndices(i)) == i.
  Shape untileIndices(const Shape &indices) const;
  /// Which tiled dims (base dims first) come from logical dim `dim` of the first tile.
  Result<std::vector<bool>> tileDimension(int64_t dim) const;
  /// The tiling of an array that lost dimension `dim` of the first tile.
  Result<Tiling> removeDimension(int64_t dim) const;
  /// Drops tiles that change nothing and leading ones of later tiles: (8, 8)(1, 4) -> (8, 8)(4,).
  Tiling canonicalize() const;
  /// `Tiling((64, 8), (16, 8))`, the shorthand that snippets accept.
  std::string str() const;
  bool operator==(const Tiling &) const = default;

private:
  std::vector<Shape> tiles_;
};

/// Python's text of the tuple of tiles: `((64, 8), (2,))`, `((4,),)`.
std::string tilesText(const std::vector<Shape> &tiles);

struct NestedShapeStrides {
  std::vector<Shape> shape;   // per tiled dim, its sub-dims, major to minor
  std::vector<Shape> strides; // same structure
};
/// Tiles an array whose logical dims are lists of sub-dims (a memory reference that is tiled already).
Result<NestedShapeStrides> tileNestedShapeStrides(const Tiling &tiling, const std::vector<Shape> &shape,
                                                  const std::vector<Shape> &strides);

} // namespace lanescope::layouts
