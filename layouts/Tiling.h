// Tiling: an ordered list of tiles applied to the trailing dimensions of an array, each to the result of the one
// before.
//
//   Tiling((64, 8), (16, 8), (8, 8), (2,)) on (128, 128)  ->  (2, 16, 4, 1, 2, 1, 8, 4, 1, 2)  for tiles …(1, 2)
//
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
  /// Checks, per tile: rank never increases, not empty, sizes positive. An empty list is the identity.
  static Result<Tiling> make(std::vector<Shape> tiles);

  const std::vector<Shape> &tiles() const { return tiles_; }
  Result<Shape> tileShape(const Shape &shape) const;
  Result<Shape> untileShape(const Shape &tiled) const;
  Shape tileStrides(const Shape &strides) const;
  Shape tileIndices(const Shape &indices) const;
  Shape untileIndices(const Shape &indices) const;
  /// Which tiled dims (base dims first) come from logical dim `dim`.
  Result<std::vector<bool>> tileDimension(int64_t dim) const;
  Result<Tiling> removeDimension(int64_t dim) const;
  Tiling canonicalize() const;
  /// `Tiling((64, 8), (16, 8))`, the shorthand that snippets accept.
  std::string str() const;
  bool operator==(const Tiling &) const = default;

private:
  std::vector<Shape> tiles_;
};

struct NestedShapeStrides {
  std::vector<Shape> shape;   // per tiled dim, its sub-dims, major to minor
  std::vector<Shape> strides; // same structure
};
/// Tiles an array whose logical dims are lists of sub-dims (a memory reference that is tiled already).
Result<NestedShapeStrides> tileNestedShapeStrides(const Tiling &tiling, const std::vector<Shape> &shape,
                                                  const std::vector<Shape> &strides);

} // namespace lanescope::layouts
