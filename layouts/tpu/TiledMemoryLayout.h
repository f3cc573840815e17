// The storage of arrays in a TPU's memories. An array is stored tile by tile and padded to whole tiles; tiles may be
// cut into smaller tiles.
//
//   auto l = *TiledMemoryLayout::make({{8, 128}, {2, 1}}, {2, 1});     // #tpu.tiled<(8,128)(2,1),[2,1]>
//   l.place({9, 130})   ->  tile 1 * 2 + 1 * 1 = 3, position ((1 / 2) * 128 + 2) * 2 + 1 % 2 = 5 in it
//   l.offset({9, 130})  ->  3 * 1024 + 5 = 3077
//
// The first tile covers the trailing dimensions of the array. Each stride counts the first tiles in one step along its
// dimension; if the first tile covers the dimension, a step goes from tile to tile. Each further tile cuts the trailing
// dimensions of the one before, and stores its own elements side by side: the second-minor (2, 1) above packs two rows
// of 16-bit numbers into one 32-bit word. Without tiles, strides count elements. Offsets count elements. Arrays whose
// sizes are not multiples of the first tile leave holes.
//
// Not here: vectors in registers, which a subcore holds lane by lane. Source: jax-ml/jax,
// jaxlib/mosaic/dialect/tpu/tpu_ops.td (TiledLayoutAttr); OpenXLA, "Tiled layout".
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/Layout.h"

#include <utility>

namespace lanescope::layouts {

class TiledMemoryLayout final : public ForeignLayout {
public:
  /// `strides`: one for each dimension of the array. Errors: sizes that are not positive; negative strides; a first
  /// tile with more dimensions than the array; further tiles that are larger than the first tile, or do not divide it.
  static Result<TiledMemoryLayout> make(std::vector<Shape> tiles, Shape strides);
  /// The layout with the strides of a newly allocated array: first tiles in row-major order without gaps.
  static Result<TiledMemoryLayout> packed(std::vector<Shape> tiles, const Shape &shape);

  const std::vector<Shape> &tiles() const { return tiles_; }
  const Shape &strides() const { return strides_; }
  size_t rank() const { return strides_.size(); }
  /// Elements of the first tile; 1 without tiles.
  int64_t tileElements() const;

  /// Error: the array does not have as many dimensions as there are strides.
  Result<void> checkShape(const Shape &shape) const;
  /// The number of first tiles along each dimension: ceil(size / tile) if the first tile covers it.
  Shape tileCounts(const Shape &shape) const;
  /// An array for which packed() would give these strides: one row of tiles along the first dimension.
  Shape exampleShape() const;
  struct Place {
    int64_t tile = 0;     // number of the first tile
    int64_t position = 0; // the element's position in it, in elements
  };
  Place place(const Shape &index) const;
  int64_t offset(const Shape &index) const;
  /// The number of elements from the first one to the end of the last tile, including holes.
  int64_t extent(const Shape &shape) const;

  /// tile * tileElements() + position, for any kind of number with `+` and `*`. `first` and `second` receive the number
  /// of the tile and the position; `divide(x, n)` and `modulo(x, n)` round down.
  template <typename Number, typename Divide, typename Modulo>
  std::pair<Number, Number> placeOf(std::vector<Number> index, Number zero, const Divide &divide,
                                    const Modulo &modulo) const;

  std::string_view language() const override { return "tpu"; }
  /// The attribute as JAX prints it: "#tpu.tiled<(8,128)(2,1),[2,1]>".
  std::string text() const override;
  std::vector<Memory> memories() const override { return {Memory::Shared}; }
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

  bool operator==(const TiledMemoryLayout &other) const { return tiles_ == other.tiles_ && strides_ == other.strides_; }

private:
  TiledMemoryLayout(std::vector<Shape> tiles, Shape strides) : tiles_(std::move(tiles)), strides_(std::move(strides)) {}
  std::vector<Shape> tiles_;
  Shape strides_;
};

template <typename Number, typename Divide, typename Modulo>
std::pair<Number, Number> TiledMemoryLayout::placeOf(std::vector<Number> index, Number zero, const Divide &divide,
                                                     const Modulo &modulo) const {
  Number tile = zero, position = zero;
  // The first dimension that the first tile covers.
  size_t tiled = tiles_.empty() ? rank() : rank() - tiles_.front().size();
  std::vector<Number> inside; // the coordinates in the first tile, as the further tiles cut them
  Shape sizes;
  for (size_t d = 0; d < rank(); ++d) {
    bool covered = d >= tiled;
    int64_t size = covered ? tiles_.front()[d - tiled] : 1;
    tile = tile + (covered ? divide(index[d], size) : index[d]) * strides_[d];
    if (covered) {
      inside.push_back(modulo(index[d], size));
      sizes.push_back(size);
    }
  }
  for (size_t t = 1; t < tiles_.size(); ++t) {
    size_t first = inside.size() - tiles_[t].size();
    for (size_t d = 0; d < tiles_[t].size(); ++d) {
      int64_t size = tiles_[t][d];
      inside.push_back(modulo(inside[first + d], size));
      sizes.push_back(size);
      inside[first + d] = divide(inside[first + d], size);
      sizes[first + d] /= size;
    }
  }
  for (size_t d = 0; d < inside.size(); ++d)
    position = position * sizes[d] + inside[d];
  return {tile, position};
}

/// The TiledMemoryLayout inside a Layout; null for other layouts.
const TiledMemoryLayout *asTiledMemory(const Layout &layout);
Layout toLayout(TiledMemoryLayout layout);

} // namespace lanescope::layouts
