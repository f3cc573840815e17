#include "layouts/RegisterLayout.h"

#include <algorithm>
#include <set>

namespace lanescope::layouts {

namespace {

/// Less than Tiling's own limit, so that canonicalize() can always add a tile.
constexpr size_t kMaxLayoutTiles = 60;

/// The tiled dimensions of one base tile, without those that count base tiles.
Result<Shape> tiledSuffix(const Tiling &tiling) {
  const Shape &base = tiling.tiles().front();
  Result<Shape> tiled = tiling.tileShape(base);
  if (!tiled)
    return tiled;
  return Shape(tiled->begin() + base.size(), tiled->end());
}

const int64_t *dimOf(const PartitionDim &entry) { return std::get_if<int64_t>(&entry); }

bool contains(const std::vector<PartitionDim> &entries, int64_t dim) {
  return std::ranges::any_of(entries, [&](const PartitionDim &e) { return dimOf(e) && *dimOf(e) == dim; });
}

} // namespace

Result<TiledLayout> TiledLayout::makeUnchecked(Tiling tiling, std::vector<PartitionDim> warpDims,
                                               std::vector<PartitionDim> laneDims, int64_t vectorDim) {
  Result<Shape> suffix = tiledSuffix(tiling);
  if (!suffix)
    return std::unexpected(std::move(suffix.error()));
  TiledLayout layout;
  layout.tiling_ = std::move(tiling);
  layout.warpDims_ = std::move(warpDims);
  layout.laneDims_ = std::move(laneDims);
  layout.vectorDim_ = vectorDim;
  layout.tiledTilingShape_ = *std::move(suffix);
  return layout;
}

Result<void> TiledLayout::check() const {
  if (tiling_.tiles().size() > kMaxLayoutTiles)
    return error("tiling-too-large", Message("the layout has {tiles} tiles; at most {limit} are supported",
                                             tiling_.tiles().size(), kMaxLayoutTiles));
  std::vector<int64_t> dims;
  for (const auto *entries : {&warpDims_, &laneDims_})
    for (const PartitionDim &entry : *entries)
      if (const int64_t *dim = dimOf(entry))
        dims.push_back(*dim);
  dims.push_back(vectorDim_);
  std::set<int64_t> seen;
  for (int64_t dim : dims)
    if (!seen.insert(dim).second)
      return error(
          "layout-axis-duplicate",
          Message("duplicate partitioning dimensions: {dimension} is named twice in {layout}", dim, jaxText(*this)));
  for (int64_t dim : dims)
    if (dim >= 0)
      return error(
          "layout-nonnegative-dim",
          Message("all dimensions must be negative, but {dimension} is not; they count from the end of the tiled shape",
                  dim));
  auto rank = static_cast<int64_t>(tiledTilingShape_.size());
  for (int64_t dim : dims)
    if (dim < -rank)
      return error(
          "layout-dim-range",
          Message("dimension out of range: {dimension} is before the first of the {rank} tiled dimensions {shape}", dim,
                  rank, tupleText(tiledTilingShape_)));
  auto product = [&](const std::vector<PartitionDim> &entries, const char *what) -> Result<int64_t> {
    int64_t total = 1;
    for (const PartitionDim &entry : entries) {
      const Replicated *replicated = std::get_if<Replicated>(&entry);
      if (replicated && replicated->times < 1)
        return error("layout-replication",
                     Message("`Replicated(times={})` in {} must count at least one copy", replicated->times, what));
      total = saturatingMultiply(total, replicated ? replicated->times : dimSize(*dimOf(entry)));
    }
    return total;
  };
  Result<int64_t> warps = product(warpDims_, "warp_dims");
  if (!warps)
    return std::unexpected(std::move(warps.error()));
  if (*warps != kWarpsPerWarpgroup)
    return error(
        "layout-warp-product",
        Message(
            "the product of warp dims does not equal the number of warps in a warpgroup: it is {} instead of {limit}",
            *warps, kWarpsPerWarpgroup));
  Result<int64_t> lanes = product(laneDims_, "lane_dims");
  if (!lanes)
    return std::unexpected(std::move(lanes.error()));
  if (*lanes != kLanesPerWarp)
    return error("layout-lane-product",
                 Message("the product of lane dims does not equal the warp size: it is {} instead of {limit}", *lanes,
                         kLanesPerWarp));
  return {};
}

Result<TiledLayout> TiledLayout::make(Tiling tiling, std::vector<PartitionDim> warpDims,
                                      std::vector<PartitionDim> laneDims, int64_t vectorDim) {
  Result<TiledLayout> canonical = makeCanonical(tiling, warpDims, laneDims, vectorDim);
  if (!canonical)
    return canonical;
  Result<TiledLayout> layout = makeUnchecked(std::move(tiling), std::move(warpDims), std::move(laneDims), vectorDim);
  if (layout && *canonical != *layout)
    return error("layout-not-canonical", Message("{layout} is not canonical; write it as {other_layout}",
                                                 jaxText(*layout), jaxText(*canonical)));
  return layout;
}

Result<TiledLayout> TiledLayout::makeCanonical(Tiling tiling, std::vector<PartitionDim> warpDims,
                                               std::vector<PartitionDim> laneDims, int64_t vectorDim) {
  if (tiling.tiles().empty())
    return error("layout-no-tiles", "tiling must have at least one tile");
  Result<TiledLayout> layout = makeUnchecked(std::move(tiling), std::move(warpDims), std::move(laneDims), vectorDim);
  if (!layout)
    return layout;
  if (Result<void> checked = layout->check(); !checked)
    return std::unexpected(std::move(checked.error()));
  return layout->canonicalize();
}

bool TiledLayout::isPartitioned(int64_t dim) const {
  return dim == vectorDim_ || contains(warpDims_, dim) || contains(laneDims_, dim);
}

int64_t TiledLayout::replication() const {
  int64_t copies = 1;
  for (const auto *entries : {&warpDims_, &laneDims_})
    for (const PartitionDim &entry : *entries)
      if (const auto *replicated = std::get_if<Replicated>(&entry))
        copies *= replicated->times;
  return copies;
}

Result<Shape> TiledLayout::registersShape(const Shape &shape) const {
  if (Result<int64_t> count = checkedElementCount(shape); !count)
    return std::unexpected(std::move(count.error()));
  Result<Shape> registers = tiling_.tileShape(shape);
  if (!registers)
    return registers;
  auto rank = static_cast<int64_t>(tiledTilingShape_.size());
  for (int64_t dim = -rank; dim < 0; ++dim)
    if (isPartitioned(dim))
      (*registers)[registers->size() + dim] = 1;
  return registers;
}

Result<Shape> TiledLayout::shapeFromRegistersShape(const Shape &registersShape) const {
  auto rank = static_cast<int64_t>(tiledTilingShape_.size());
  Shape tiled = registersShape;
  if (static_cast<int64_t>(tiled.size()) >= rank)
    for (int64_t dim = -rank; dim < 0; ++dim)
      if (isPartitioned(dim))
        tiled[tiled.size() + dim] = dimSize(dim);
  return tiling_.untileShape(tiled);
}

Result<TiledLayout> TiledLayout::removeDimension(int64_t axis) const {
  if (axis < 0 || axis >= static_cast<int64_t>(baseTile().size()))
    return error(
        "layout-axis-range",
        Message("dimension {dimension} is out of range for `{tiling}`, whose base tile has {dimensions} dimensions",
                axis, tiling_.str(), baseTile().size()));
  Result<Tiling> remaining = tiling_.removeDimension(axis);
  if (!remaining)
    return std::unexpected(std::move(remaining.error()));
  std::vector<bool> mask = *tiling_.tileDimension(axis);
  mask.erase(mask.begin(), mask.begin() + baseTile().size());
  size_t rank = mask.size();
  // shift[i]: the number of tiled dimensions from i on that are removed.
  std::vector<int64_t> shift(rank);
  int64_t gone = 0;
  for (size_t i = rank; i-- > 0;) {
    gone += mask[i];
    shift[i] = gone;
  }
  auto at = [&](int64_t dim) { return rank + dim; };
  std::vector<Shape> tiles = remaining->tiles();
  int64_t newVectorDim = vectorDim_ + shift[at(vectorDim_)];
  if (mask[at(vectorDim_)]) {
    // The vector ran along the removed dimension. Registers become scalars, which needs a dimension of size one.
    tiles.push_back({1});
    newVectorDim = -1;
    for (int64_t &s : shift)
      --s;
  }
  auto convert = [&](const std::vector<PartitionDim> &entries) {
    std::vector<PartitionDim> out;
    for (const PartitionDim &entry : entries) {
      const int64_t *dim = dimOf(entry);
      if (!dim)
        out.push_back(entry);
      else if (mask[at(*dim)])
        out.emplace_back(Replicated{dimSize(*dim)});
      else
        out.emplace_back(*dim + shift[at(*dim)]);
    }
    return out;
  };
  Result<Tiling> tiling = Tiling::make(std::move(tiles));
  if (!tiling)
    return std::unexpected(std::move(tiling.error()));
  return makeCanonical(*std::move(tiling), convert(warpDims_), convert(laneDims_), newVectorDim);
}

Result<TiledLayout> TiledLayout::reduce(std::vector<int64_t> axes) const {
  std::ranges::sort(axes, std::greater<>());
  if (auto twice = std::ranges::adjacent_find(axes); twice != axes.end())
    return error("layout-axis-duplicate", Message("axis {} is reduced twice", *twice));
  TiledLayout layout = *this;
  for (int64_t axis : axes) {
    Result<TiledLayout> next = layout.removeDimension(axis);
    if (!next)
      return next;
    layout = *std::move(next);
  }
  return layout;
}

Result<TiledLayout> TiledLayout::subdivideTile(size_t tileIndex, Shape newTile) const {
  std::vector<Shape> tiles = tiling_.tiles();
  if (tileIndex >= tiles.size())
    return error("layout-tile-range", Message("tile {} of `{tiling}` does not exist", tileIndex, tiling_.str()));
  if (newTile.size() != tiles[tileIndex].size())
    return error("tiling-rank", Message("a tile that subdivides {tile} must have its rank, got {}",
                                        tupleText(tiles[tileIndex]), tupleText(newTile)));
  int64_t suffix = 0;
  for (size_t k = tileIndex; k < tiles.size(); ++k)
    suffix += static_cast<int64_t>(tiles[k].size());
  auto added = static_cast<int64_t>(newTile.size());
  if (vectorDim_ < -suffix + added)
    return error("unsupported", "multiple vector dimensions are not supported");
  auto convert = [&](const std::vector<PartitionDim> &entries) {
    std::vector<PartitionDim> out;
    for (const PartitionDim &entry : entries) {
      const int64_t *dim = dimOf(entry);
      if (!dim || *dim >= -suffix + added) {
        out.push_back(entry);
        continue;
      }
      out.emplace_back(*dim - added);
      if (*dim >= -suffix)
        out.emplace_back(*dim);
    }
    return out;
  };
  tiles.insert(tiles.begin() + static_cast<ptrdiff_t>(tileIndex) + 1, std::move(newTile));
  Result<Tiling> tiling = Tiling::make(std::move(tiles));
  if (!tiling)
    return std::unexpected(std::move(tiling.error()));
  return makeCanonical(*std::move(tiling), convert(warpDims_), convert(laneDims_), vectorDim_);
}

TiledLayout TiledLayout::canonicalize() const {
  TiledLayout out;
  out.tiling_ = tiling_.canonicalize();
  // This cannot fail, because the tiles still apply without those that have no effect.
  out.tiledTilingShape_ = *tiledSuffix(out.tiling_);

  // Walks backwards. A dimension is kept if it is the next one of the canonical form; only dimensions of size one are
  // dropped.
  size_t rank = tiledTilingShape_.size();
  std::vector<bool> removed(rank, false);
  std::vector<int64_t> shift(rank);
  size_t unmatched = out.tiledTilingShape_.size();
  int64_t gone = 0;
  for (size_t i = rank; i-- > 0;) {
    if (unmatched > 0 && tiledTilingShape_[i] == out.tiledTilingShape_[unmatched - 1]) {
      --unmatched;
    } else {
      removed[i] = true;
      ++gone;
    }
    shift[i] = gone;
  }
  auto convert = [&](const std::vector<PartitionDim> &entries) {
    std::vector<PartitionDim> kept;
    for (const PartitionDim &entry : entries) {
      const int64_t *dim = dimOf(entry);
      if (!dim)
        kept.push_back(entry);
      else if (dimSize(*dim) != 1)
        kept.emplace_back(*dim + shift[rank + *dim]);
    }
    return kept;
  };
  out.warpDims_ = convert(warpDims_);
  out.laneDims_ = convert(laneDims_);
  out.vectorDim_ = vectorDim_ + shift[rank + vectorDim_];
  if (!removed[rank + vectorDim_])
    return out;

  // The canonical tiling has lost the vector's dimension of size one. Take another dimension of size one, or add a tile
  // for it.
  auto canonicalRank = static_cast<int64_t>(out.tiledTilingShape_.size());
  if (out.vectorDim_ < 0 && out.dimSize(out.vectorDim_) == 1)
    return out;
  for (int64_t dim = -1; dim >= -canonicalRank; --dim)
    if (out.dimSize(dim) == 1) {
      out.vectorDim_ = dim;
      return out;
    }
  std::vector<Shape> tiles = out.tiling_.tiles();
  tiles.push_back({1});
  for (auto *entries : {&out.warpDims_, &out.laneDims_})
    for (PartitionDim &entry : *entries)
      if (auto *dim = std::get_if<int64_t>(&entry))
        --*dim;
  // kMaxLayoutTiles leaves room for this tile.
  out.tiling_ = *Tiling::make(std::move(tiles));
  out.tiledTilingShape_.push_back(1);
  out.vectorDim_ = -1;
  return out;
}

} // namespace lanescope::layouts
