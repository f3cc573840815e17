#include "layouts/Tiling.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cassert>

namespace lanescope::layouts {

namespace {

constexpr size_t kMaxTiles = 64;
constexpr size_t kMaxTileRank = 32;

std::unexpected<Diagnostics> doesNotApply(const Tiling &tiling, const Shape &shape, const std::string &why) {
  return error("tiling-does-not-apply",
               Message("`{tiling}` does not apply to shape {shape}: {}", tiling.str(), tupleText(shape), why));
}

std::unexpected<Diagnostics> invalidDimension(const Tiling &tiling, int64_t dim) {
  return error("tiling-invalid-dimension",
               Message("invalid dimension {dimension} for `{tiling}`, whose tiles have {} dimensions", dim,
                       tiling.str(), tiling.tiles().empty() ? 0 : tiling.tiles().front().size()));
}

bool inBaseRank(const Tiling &tiling, int64_t dim) {
  return dim >= 0 && !tiling.tiles().empty() && dim < static_cast<int64_t>(tiling.tiles().front().size());
}

} // namespace

Result<Tiling> Tiling::make(std::vector<Shape> tiles) {
  if (tiles.size() > kMaxTiles)
    return error("tiling-too-large",
                 Message("the tiling has {tiles} tiles; at most {limit} are supported", tiles.size(), kMaxTiles));
  for (size_t i = 0; i < tiles.size(); ++i) {
    const Shape &tile = tiles[i];
    if (tile.size() > kMaxTileRank)
      return error("tiling-too-large", Message("the tile has {dimensions} dimensions; at most {limit} are supported",
                                               tile.size(), kMaxTileRank));
    if (i > 0 && tile.size() > tiles[i - 1].size())
      return error("tiling-rank", Message("tiles must have a decreasing rank, but {tile} follows {}", tupleText(tile),
                                          tupleText(tiles[i - 1])));
    if (tile.empty())
      return error("tiling-empty-tile",
                   Message("tiles must not be empty, but tile {} of {tiling} is", i, tilesText(tiles)));
    if (std::ranges::any_of(tile, [](int64_t size) { return size <= 0; }))
      return error("tiling-size", Message("tile shape must only have positive sizes, got {tile}", tupleText(tile)));
  }
  Tiling tiling;
  tiling.tiles_ = std::move(tiles);
  return tiling;
}

Result<Shape> Tiling::tileShape(const Shape &shape) const {
  Shape tiled = shape;
  for (const Shape &tile : tiles_) {
    if (tile.size() > tiled.size())
      return doesNotApply(*this, shape,
                          text("tile ", tupleText(tile), " has more dimensions than the array's ", tiled.size()));
    size_t first = tiled.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      if (tiled[first + i] % tile[i] != 0)
        return doesNotApply(*this, shape, text(tiled[first + i], " is not a multiple of ", tile[i]));
      tiled[first + i] /= tile[i];
    }
    tiled.insert(tiled.end(), tile.begin(), tile.end());
  }
  return tiled;
}

Result<Shape> Tiling::untileShape(const Shape &tiled) const {
  Shape shape = tiled;
  for (size_t k = tiles_.size(); k-- > 0;) {
    const Shape &tile = tiles_[k];
    size_t rank = tile.size();
    if (shape.size() < 2 * rank || !std::equal(tile.begin(), tile.end(), shape.end() - rank))
      return error("tiling-not-a-result",
                   Message("shape {shape} is not a valid result of applying `{tiling}`", tupleText(tiled), str()));
    shape.resize(shape.size() - rank);
    for (size_t i = 0; i < rank; ++i) {
      int64_t &outer = shape[shape.size() - rank + i];
      if (__builtin_mul_overflow(outer, tile[i], &outer))
        return error("shape-too-large",
                     Message("undoing `{tiling}` on shape {shape} overflows", str(), tupleText(tiled)));
    }
  }
  return shape;
}

Shape Tiling::tileStrides(const Shape &strides) const {
  Shape tiled = strides;
  for (const Shape &tile : tiles_) {
    assert(tile.size() <= tiled.size());
    size_t first = tiled.size() - tile.size();
    Shape inner(tiled.begin() + first, tiled.end());
    for (size_t i = 0; i < tile.size(); ++i)
      tiled[first + i] = saturatingMultiply(tiled[first + i], tile[i]);
    tiled.insert(tiled.end(), inner.begin(), inner.end());
  }
  return tiled;
}

Shape Tiling::tileIndices(const Shape &indices) const {
  Shape tiled = indices;
  for (const Shape &tile : tiles_) {
    assert(tile.size() <= tiled.size());
    size_t first = tiled.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      tiled.push_back(tiled[first + i] % tile[i]);
      tiled[first + i] /= tile[i];
    }
  }
  return tiled;
}

Shape Tiling::untileIndices(const Shape &indices) const {
  Shape shape = indices;
  for (size_t k = tiles_.size(); k-- > 0;) {
    const Shape &tile = tiles_[k];
    size_t rank = tile.size();
    assert(shape.size() >= 2 * rank);
    Shape inner(shape.end() - rank, shape.end());
    shape.resize(shape.size() - rank);
    for (size_t i = 0; i < rank; ++i) {
      int64_t &outer = shape[shape.size() - rank + i];
      outer = saturatingMultiply(outer, tile[i]) + inner[i];
    }
  }
  return shape;
}

Result<std::vector<bool>> Tiling::tileDimension(int64_t dim) const {
  if (!inBaseRank(*this, dim))
    return invalidDimension(*this, dim);
  // These strides of a tile are zero only along `dim`, so every zero in the result comes from `dim`.
  Shape strides(tiles_.front().size(), 1);
  strides[dim] = 0;
  std::vector<bool> mask;
  for (int64_t stride : tileStrides(strides))
    mask.push_back(stride == 0);
  return mask;
}

Result<Tiling> Tiling::removeDimension(int64_t dim) const {
  if (!inBaseRank(*this, dim))
    return invalidDimension(*this, dim);
  std::vector<Shape> tiles;
  int64_t position = dim;
  size_t lastRank = tiles_.front().size();
  for (const Shape &tile : tiles_) {
    position -= static_cast<int64_t>(lastRank - tile.size());
    lastRank = tile.size();
    Shape rest = tile;
    if (position >= 0)
      rest.erase(rest.begin() + position);
    if (rest.empty())
      break;
    tiles.push_back(std::move(rest));
  }
  return make(std::move(tiles));
}

Tiling Tiling::canonicalize() const {
  if (tiles_.size() <= 1)
    return *this;
  Tiling canonical;
  canonical.tiles_.push_back(tiles_.front());
  for (size_t k = 1; k < tiles_.size(); ++k) {
    const Shape &tile = tiles_[k];
    auto first = std::find_if(tile.begin(), tile.end(), [](int64_t size) { return size != 1; });
    Shape stripped = first == tile.end() ? Shape{1} : Shape(first, tile.end());
    const Shape &last = canonical.tiles_.back();
    bool changesNothing =
        stripped.size() <= last.size() && std::equal(stripped.begin(), stripped.end(), last.end() - stripped.size());
    if (!changesNothing)
      canonical.tiles_.push_back(std::move(stripped));
  }
  return canonical;
}

std::string Tiling::str() const {
  std::string out = "Tiling(";
  for (size_t i = 0; i < tiles_.size(); ++i)
    out += (i ? ", " : "") + tupleText(tiles_[i]);
  return out + ")";
}

std::string tilesText(const std::vector<Shape> &tiles) {
  std::string out = "(";
  for (size_t i = 0; i < tiles.size(); ++i)
    out += (i ? ", " : "") + tupleText(tiles[i]);
  return out + (tiles.size() == 1 ? ",)" : ")");
}

} // namespace lanescope::layouts
