// Tiles references that are already tiled: each logical dimension is a list of sub-dimensions with strides.

#include "layouts/Tiling.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

struct StridedDim {
  Shape shape, strides;
};

struct SplitDim {
  StridedDim major, minor;
};

/// Cuts `tile` elements off the minor end of a dimension; nothing if a sub-dimension straddles the cut.
bool split(const StridedDim &dim, int64_t tile, SplitDim &out) {
  for (size_t i = dim.shape.size(); i-- > 0;) {
    int64_t size = dim.shape[i], stride = dim.strides[i];
    if (size <= 0)
      return false;
    if (size < tile) {
      if (tile % size != 0)
        return false;
      out.minor.shape.push_back(size);
      out.minor.strides.push_back(stride);
      tile /= size;
    } else if (tile != 1) {
      if (size % tile != 0)
        return false;
      out.minor.shape.push_back(tile);
      out.minor.strides.push_back(stride);
      if (size != tile) {
        out.major.shape.push_back(size / tile);
        out.major.strides.push_back(saturatingMultiply(stride, tile));
      }
      tile = 1;
    } else {
      out.major.shape.push_back(size);
      out.major.strides.push_back(stride);
    }
  }
  // The loop ran from minor to major, but the lists must be from major to minor.
  for (Shape *list : {&out.major.shape, &out.major.strides, &out.minor.shape, &out.minor.strides})
    std::ranges::reverse(*list);
  return tile == 1;
}

} // namespace

Result<NestedShapeStrides> tileNestedShapeStrides(const Tiling &tiling, const std::vector<Shape> &shape,
                                                  const std::vector<Shape> &strides) {
  bool congruent = shape.size() == strides.size();
  for (size_t i = 0; congruent && i < shape.size(); ++i)
    congruent = shape[i].size() == strides[i].size();
  if (!congruent)
    return error("tiling-nested-mismatch", Message("nested shape {tiling} and strides {} differ in structure",
                                                   tilesText(shape), tilesText(strides)));
  std::vector<StridedDim> dims;
  for (size_t i = 0; i < shape.size(); ++i)
    dims.push_back({shape[i], strides[i]});
  for (const Shape &tile : tiling.tiles()) {
    std::vector<StridedDim> next, minors;
    bool fits = tile.size() <= dims.size();
    size_t untiled = fits ? dims.size() - tile.size() : 0;
    for (size_t i = 0; fits && i < dims.size(); ++i) {
      if (i < untiled) {
        next.push_back(dims[i]);
        continue;
      }
      SplitDim cut;
      fits = split(dims[i], tile[i - untiled], cut);
      next.push_back(std::move(cut.major));
      minors.push_back(std::move(cut.minor));
    }
    if (!fits)
      return error("tiling-does-not-apply",
                   Message("`{tiling}` does not apply to nested shape {}", tiling.str(), tilesText(shape)));
    next.insert(next.end(), minors.begin(), minors.end());
    dims = std::move(next);
  }
  NestedShapeStrides out;
  for (StridedDim &dim : dims) {
    bool empty = dim.shape.empty();
    out.shape.push_back(empty ? Shape{1} : std::move(dim.shape));
    out.strides.push_back(empty ? Shape{1} : std::move(dim.strides));
  }
  return out;
}

} // namespace lanescope::layouts
