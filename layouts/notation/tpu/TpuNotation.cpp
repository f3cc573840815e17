#include "layouts/notation/tpu/TpuNotation.h"

#include "layouts/support/Text.h"
#include "layouts/tpu/TiledMemoryLayout.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr std::string_view kName = "#tpu.tiled";
constexpr size_t kMostDimensions = 6; // second tiles are searched for up to this rank

std::unexpected<Diagnostics> notTiled(std::string_view what) {
  return error("notation-lossy", Message("`#tpu.tiled` cannot write this layout: {}", what));
}

Result<Shape> readSizes(Scanner &in, char open, char close, std::string_view what) {
  Shape sizes;
  Result<void> read = readList(in, open, close, what, [&]() -> Result<void> {
    Result<int64_t> size = in.integer("a size");
    if (!size)
      return std::unexpected(std::move(size.error()));
    sizes.push_back(*size);
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return sizes;
}

/// Nested steps of one dimension: `size` indices that are `stride` apart, minor first. The last step may be incomplete.
struct Step {
  int64_t size, stride;
};

/// The offsets of one dimension as nested steps; nothing if they have no such form.
std::optional<std::vector<Step>> stepsOf(const std::vector<int64_t> &offsets) {
  std::vector<Step> steps;
  auto count = static_cast<int64_t>(offsets.size());
  for (int64_t unit = 1; unit < count;) {
    int64_t stride = offsets[static_cast<size_t>(unit)], size = 1;
    while (size * unit < count && offsets[static_cast<size_t>(size * unit)] == size * stride)
      ++size;
    steps.push_back({size, stride});
    unit *= size;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t left = i, sum = 0;
    for (const Step &step : steps) {
      sum += left % step.size * step.stride;
      left /= step.size;
    }
    if (sum != offsets[static_cast<size_t>(i)])
      return std::nullopt;
  }
  if (steps.empty())
    steps.push_back({1, 0});
  return steps;
}

bool gives(const TiledMemoryLayout &layout, const AddressMap &map) {
  Shape index(map.shape().size(), 0);
  for (int32_t offset : map.offsets()) {
    if (layout.offset(index) != offset)
      return false;
    for (size_t d = index.size(); d-- > 0 && ++index[d] == map.shape()[d];)
      index[d] = 0;
  }
  return true;
}

/// Builds tiles from all steps of each dimension except the last one. With one level, a tile has its elements in
/// row-major order. With two levels, the minor steps form a second tile. If a dimension has only one such step, its bit
/// of `inner` puts that step into the second tile.
std::optional<TiledMemoryLayout> tiledOf(const std::vector<std::vector<Step>> &dimensions, size_t levels,
                                         uint32_t inner, const AddressMap &map) {
  Shape first, second, strides;
  int64_t elements = 1;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const std::vector<Step> &steps = dimensions[d];
    int64_t size = 1;
    for (size_t i = 0; i + 1 < steps.size(); ++i)
      size *= steps[i].size;
    first.push_back(size);
    second.push_back(steps.size() > 2 || (steps.size() == 2 && (inner >> d & 1)) ? steps.front().size : 1);
    elements *= size;
  }
  size_t covered = 0; // leading dimensions outside all tiles
  while (covered < first.size() && first[covered] == 1)
    ++covered;
  for (const std::vector<Step> &steps : dimensions) {
    if (steps.back().stride % elements != 0)
      return std::nullopt;
    strides.push_back(steps.back().stride / elements);
  }
  std::vector<Shape> tiles;
  auto from = static_cast<std::ptrdiff_t>(covered);
  if (levels > 0)
    tiles.emplace_back(first.begin() + from, first.end());
  if (levels > 1)
    tiles.emplace_back(second.begin() + from, second.end());
  if (std::ranges::any_of(tiles, [](const Shape &tile) { return tile.empty(); }))
    return std::nullopt;
  Result<TiledMemoryLayout> layout = TiledMemoryLayout::make(std::move(tiles), std::move(strides));
  return layout && gives(*layout, map) ? std::optional(*std::move(layout)) : std::nullopt;
}

} // namespace

bool looksLikeTpu(std::string_view text) { return text.starts_with(kName); }

Result<Layout> parseTpu(Scanner &in, Diagnostics *) {
  in.peek();
  uint32_t begin = in.offset();
  if (!in.eat(kName))
    return in.expected("`#tpu.tiled<…>`");
  if (Result<void> opened = in.expect('<', "the layout"); !opened)
    return std::unexpected(std::move(opened.error()));
  std::vector<Shape> tiles;
  while (in.peek() == '(') {
    if (tiles.size() == Scanner::kMaxListEntries)
      return in.expected("fewer tiles");
    Result<Shape> tile = readSizes(in, '(', ')', "a tile");
    if (!tile)
      return std::unexpected(std::move(tile.error()));
    tiles.push_back(*std::move(tile));
  }
  if (Result<void> comma = in.expect(',', "the strides, as `,[2,1]`"); !comma)
    return std::unexpected(std::move(comma.error()));
  Result<Shape> strides = readSizes(in, '[', ']', "the strides, as `[2,1]`");
  if (!strides)
    return std::unexpected(std::move(strides.error()));
  if (Result<void> closed = in.expect('>', "the layout's end"); !closed)
    return std::unexpected(std::move(closed.error()));
  Result<TiledMemoryLayout> layout = located(in, begin, TiledMemoryLayout::make(std::move(tiles), *std::move(strides)));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return toLayout(*std::move(layout));
}

Result<std::string> tpuText(const Placement &placement) {
  const auto *map = std::get_if<AddressMap>(&placement);
  if (!map)
    return notTiled("it is not of addresses in a memory");
  if (map->shape().empty() || elementCount(map->shape()) == 0)
    return notTiled("the array has no dimensions or no elements");
  if (map->offset(0) != 0)
    return notTiled(text("element 0 lies at offset ", map->offset(0)));
  std::vector<std::vector<Step>> dimensions;
  Shape strides = contiguousStrides(map->shape());
  bool single = true;
  for (size_t d = 0; d < strides.size(); ++d) {
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i < map->shape()[d]; ++i)
      offsets.push_back(map->offset(i * strides[d]));
    std::optional<std::vector<Step>> steps = stepsOf(offsets);
    if (!steps)
      return notTiled(text("the offsets along dimension ", d, " are no steps within steps"));
    single = single && steps->size() == 1;
    dimensions.push_back(*std::move(steps));
  }
  if (single || dimensions.size() > kMostDimensions) {
    if (std::optional<TiledMemoryLayout> layout = tiledOf(dimensions, single ? 0 : 1, 0, *map))
      return layout->text();
    return notTiled("its offsets are not those of tiles");
  }
  if (std::optional<TiledMemoryLayout> layout = tiledOf(dimensions, 1, 0, *map))
    return layout->text();
  for (uint32_t inner = 0; inner < uint32_t{1} << dimensions.size(); ++inner)
    if (std::optional<TiledMemoryLayout> layout = tiledOf(dimensions, 2, inner, *map))
      return layout->text();
  return notTiled("its offsets are not those of tiles, nor of tiles in tiles");
}

} // namespace lanescope::layouts
