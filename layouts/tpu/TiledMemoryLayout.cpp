#include "layouts/tpu/TiledMemoryLayout.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

using lanescope::text;

constexpr size_t kMaxTiles = 8, kMaxRank = 16;

/// The text of a tile, without spaces: "(8,128)".
std::string tileText(const Shape &tile) { return text("(", joined(tile, ","), ")"); }

Result<void> checkSizes(const std::vector<Shape> &tiles, const Shape &strides) {
  if (tiles.size() > kMaxTiles || strides.size() > kMaxRank)
    return error("tiled-memory",
                 Message("there are {tiles} tiles and {count} strides; at most {limit} and {} are supported",
                         tiles.size(), strides.size(), kMaxTiles, kMaxRank));
  for (const Shape &tile : tiles) {
    if (tile.empty())
      return error("tiled-memory", "a tile has no size");
    for (int64_t size : tile)
      if (size < 1)
        return error("tiled-memory", Message("the tile {tiling} has the size {size}", tileText(tile), size));
  }
  for (int64_t stride : strides)
    if (stride < 0)
      return error("tiled-memory", Message("the stride {stride} is negative", stride));
  if (!tiles.empty() && !checkedElementCount(tiles.front()))
    return error("tiled-memory", Message("the tile {tiling} has too many elements", tileText(tiles.front())));
  return {};
}

/// Checks that each further tile divides the tile before it, so that no first tile has holes inside.
Result<void> checkNesting(const std::vector<Shape> &tiles) {
  Shape sizes = tiles.front();
  for (size_t t = 1; t < tiles.size(); ++t) {
    const Shape &tile = tiles[t];
    if (tile.size() > sizes.size())
      return error("tiled-memory", Message("the tile {tiling} has {dimensions} dimensions, but the tile {} that it "
                                           "cuts has {count}: a further tile may not reach across first tiles",
                                           tileText(tile), tile.size(), tileText(tiles.front()), sizes.size()));
    size_t first = sizes.size() - tile.size();
    for (size_t d = 0; d < tile.size(); ++d) {
      if (sizes[first + d] % tile[d] != 0)
        return error(
            "tiled-memory",
            Message("the tile {tiling} does not divide {} of the tile before it: only the first tile may pad an array",
                    tileText(tile), tileText(sizes)));
      sizes[first + d] /= tile[d];
    }
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  return {};
}

} // namespace

Result<TiledMemoryLayout> TiledMemoryLayout::make(std::vector<Shape> tiles, Shape strides) {
  if (Result<void> sizes = checkSizes(tiles, strides); !sizes)
    return std::unexpected(std::move(sizes.error()));
  if (!tiles.empty()) {
    if (tiles.front().size() > strides.size())
      return error("tiled-memory", Message("the first tile {tiling} has {dimensions} dimensions, but there are {count} "
                                           "strides, one for each dimension of the array",
                                           tileText(tiles.front()), tiles.front().size(), strides.size()));
    if (Result<void> nesting = checkNesting(tiles); !nesting)
      return std::unexpected(std::move(nesting.error()));
  }
  return TiledMemoryLayout(std::move(tiles), std::move(strides));
}

Result<TiledMemoryLayout> TiledMemoryLayout::packed(std::vector<Shape> tiles, const Shape &shape) {
  if (Result<int64_t> count = checkedElementCount(shape); !count)
    return std::unexpected(std::move(count.error()));
  if (!tiles.empty() && tiles.front().size() > shape.size())
    return error("tiled-memory",
                 Message("the first tile {tiling} has {dimensions} dimensions, more than the array's shape {shape}",
                         tileText(tiles.front()), tiles.front().size(), tupleText(shape)));
  Result<TiledMemoryLayout> layout = make(std::move(tiles), Shape(shape.size(), 1));
  if (layout)
    layout->strides_ = contiguousStrides(layout->tileCounts(shape));
  return layout;
}

int64_t TiledMemoryLayout::tileElements() const { return tiles_.empty() ? 1 : elementCount(tiles_.front()); }

Result<void> TiledMemoryLayout::checkShape(const Shape &shape) const {
  if (shape.size() != rank())
    return error("layout-shape",
                 Message("`{}` has {rank} strides: it is for arrays of {dimensions} dimensions, not of shape {shape}",
                         text(), rank(), rank(), tupleText(shape)));
  Result<int64_t> count = checkedElementCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  return {};
}

Shape TiledMemoryLayout::tileCounts(const Shape &shape) const {
  Shape counts = shape;
  if (tiles_.empty())
    return counts;
  size_t tiled = rank() - tiles_.front().size();
  for (size_t d = tiled; d < rank(); ++d)
    counts[d] = counts[d] / tiles_.front()[d - tiled] + (counts[d] % tiles_.front()[d - tiled] != 0);
  return counts;
}

Shape TiledMemoryLayout::exampleShape() const {
  Shape shape(rank(), 1);
  for (size_t d = 1; d < rank(); ++d)
    if (strides_[d] > 0 && strides_[d - 1] % strides_[d] == 0)
      shape[d] = std::max<int64_t>(strides_[d - 1] / strides_[d], 1);
  if (!tiles_.empty())
    for (size_t i = 0, d = rank() - tiles_.front().size(); d < rank(); ++d, ++i)
      shape[d] = saturatingMultiply(shape[d], tiles_.front()[i]);
  return shape;
}

TiledMemoryLayout::Place TiledMemoryLayout::place(const Shape &index) const {
  auto [tile, position] = placeOf<int64_t>(
      index, 0, [](int64_t x, int64_t n) { return x / n; }, [](int64_t x, int64_t n) { return x % n; });
  return {tile, position};
}

int64_t TiledMemoryLayout::offset(const Shape &index) const {
  Place at = place(index);
  return at.tile * tileElements() + at.position;
}

int64_t TiledMemoryLayout::extent(const Shape &shape) const {
  int64_t last = 0;
  Shape counts = tileCounts(shape);
  for (size_t d = 0; d < rank(); ++d) {
    if (counts[d] == 0)
      return 0;
    int64_t step = saturatingMultiply(counts[d] - 1, strides_[d]);
    last = last > INT64_MAX - 1 - step ? INT64_MAX - 1 : last + step;
  }
  return saturatingMultiply(last + 1, tileElements());
}

std::string TiledMemoryLayout::text() const {
  std::string out = "#tpu.tiled<";
  for (const Shape &tile : tiles_)
    out += tileText(tile);
  return lanescope::text(out, ",[", joined(strides_, ","), "]>");
}

Result<AddressMap> TiledMemoryLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (Result<void> fits = checkShape(shape); !fits)
    return std::unexpected(std::move(fits.error()));
  int64_t count = elementCount(shape), end = extent(shape);
  if (count > kMaxMapEntries || end > kMaxMapEntries)
    return error("map-size",
                 Message("`{}` spreads {shape} over {elements} elements; maps of up to {limit} are supported", text(),
                         tupleText(shape), end, kMaxMapEntries));
  std::vector<int32_t> offsets;
  offsets.reserve(static_cast<size_t>(count));
  Shape index(rank(), 0);
  for (int64_t element = 0; element < count; ++element) {
    offsets.push_back(static_cast<int32_t>(offset(index)));
    for (size_t d = rank(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return AddressMap::make(text(), shape, bitwidth, std::move(offsets), end);
}

Result<std::vector<ExplainStep>> TiledMemoryLayout::explain(const Shape &shape, const Shape &index) const {
  if (Result<void> fits = checkShape(shape); !fits)
    return std::unexpected(std::move(fits.error()));
  std::vector<ExplainStep> steps;
  std::vector<std::string> terms, places;
  size_t tiled = tiles_.empty() ? rank() : rank() - tiles_.front().size();
  Shape inside;
  for (size_t d = 0; d < rank(); ++d) {
    std::string part = lanescope::text(index[d]);
    if (d >= tiled) {
      int64_t size = tiles_.front()[d - tiled];
      part = lanescope::text("(", index[d], " / ", size, ")");
      inside.push_back(index[d] % size);
      places.push_back(lanescope::text(index[d], " % ", size));
    }
    terms.push_back(lanescope::text(part, "*", strides_[d]));
  }
  Place at = place(index);
  if (tiles_.empty()) {
    steps.push_back({"offset", joined(terms, " + "), lanescope::text(at.tile)});
    return steps;
  }
  steps.push_back({lanescope::text("tile ", tileText(tiles_.front())), joined(terms, " + "), lanescope::text(at.tile)});
  steps.push_back({"in the tile", joined(places, ", "), tupleText(inside)});
  for (size_t t = 1; t < tiles_.size(); ++t) {
    size_t first = inside.size() - tiles_[t].size();
    std::vector<std::string> cuts;
    for (size_t d = 0; d < tiles_[t].size(); ++d) {
      int64_t size = tiles_[t][d], whole = inside[first + d];
      cuts.push_back(lanescope::text(whole, " = ", whole / size, "*", size, " + ", whole % size));
      inside.push_back(whole % size);
      inside[first + d] = whole / size;
    }
    steps.push_back({lanescope::text("cut by ", tileText(tiles_[t])), joined(cuts, ", "), tupleText(inside)});
  }
  steps.push_back(
      {"position", lanescope::text("row-major in a tile of ", tileElements()), lanescope::text(at.position)});
  steps.push_back({"offset", lanescope::text(at.tile, "*", tileElements(), " + ", at.position),
                   lanescope::text(at.tile * tileElements() + at.position)});
  return steps;
}

const TiledMemoryLayout *asTiledMemory(const Layout &layout) {
  const auto *foreign = std::get_if<Foreign>(&layout);
  return foreign ? foreign->as<TiledMemoryLayout>() : nullptr;
}

Layout toLayout(TiledMemoryLayout layout) {
  return Foreign(std::make_shared<const TiledMemoryLayout>(std::move(layout)));
}

} // namespace lanescope::layouts
