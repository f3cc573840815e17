#include "core/gpu/inference/constraints/DerivedLayouts.h"

#include <algorithm>

namespace lanescope::core {

std::optional<layouts::TiledLayout> tiledForm(const layouts::WGStridedFragLayout &layout) {
  using namespace layouts;
  const Shape &shape = layout.shape();
  int64_t vec = layout.vecSize(), warp = kLanesPerWarp * vec, chunk = kThreadsPerWarpgroup * vec;
  if (shape.empty())
    return std::nullopt;
  auto make = [](std::vector<Shape> tiles, std::vector<PartitionDim> warps,
                 std::vector<PartitionDim> lanes) -> std::optional<TiledLayout> {
    auto tiling = Tiling::make(std::move(tiles));
    if (!tiling)
      return std::nullopt;
    auto tiled = TiledLayout::makeCanonical(*tiling, std::move(warps), std::move(lanes), -1);
    return tiled ? std::optional(*tiled) : std::nullopt;
  };
  int64_t columns = shape.back();
  if (columns % chunk == 0) // whole chunks in a row: (chunk / warp, 32, vec)
    return make({{chunk}, {warp}, {vec}}, {-3}, {-2});
  if (shape.size() < 2 || chunk % columns != 0 || columns % vec != 0 ||
      shape[shape.size() - 2] % (chunk / columns) != 0)
    return std::nullopt;
  int64_t rows = chunk / columns;
  if (warp % columns == 0) // whole rows in a warp: (4, 1, rows of a warp, lanes of a row, 1, vec)
    return make({{rows, columns}, {warp / columns, columns}, {1, vec}}, {-6, -5}, {-4, -3});
  if (columns % warp == 0) // whole warps in a row: (rows, warps of a row, 1, 32, 1, vec)
    return make({{rows, columns}, {1, warp}, {1, vec}}, {-6, -5}, {-3});
  return std::nullopt;
}

std::optional<layouts::RegisterLayout> reshapedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const layouts::Shape &target) {
  using namespace layouts;
  if (elementCount(shape) != elementCount(target))
    return std::nullopt;
  if (std::holds_alternative<WGSplatFragLayout>(layout))
    return WGSplatFragLayout{target};
  if (const auto *strided = std::get_if<WGStridedFragLayout>(&layout)) {
    auto same = WGStridedFragLayout::make(target, strided->vecSize());
    return same ? std::optional<RegisterLayout>(*same) : std::nullopt;
  }
  const auto &tiled = std::get<TiledLayout>(layout);
  size_t rank = tiled.baseTile().size();
  if (rank > shape.size() || rank > target.size() || target[target.size() - rank] % tiled.baseTile().front() != 0)
    return std::nullopt;
  for (size_t i = 1; i < rank; ++i)
    if (shape[shape.size() - i] != target[target.size() - i])
      return std::nullopt;
  return tiled;
}

std::optional<layouts::RegisterLayout> partLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                  bool leading) {
  using namespace layouts;
  if (const auto *strided = std::get_if<WGStridedFragLayout>(&layout)) {
    if (!leading)
      return std::nullopt;
    auto own = WGStridedFragLayout::make(shape, strided->vecSize());
    return own ? std::optional<RegisterLayout>(*own) : std::nullopt;
  }
  const auto *tiled = std::get_if<TiledLayout>(&layout);
  return tiled && tiled->registersShape(shape) ? std::optional(layout) : std::nullopt;
}

std::optional<layouts::RegisterLayout> repeatedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const std::vector<int64_t> &added) {
  const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout);
  if (!strided)
    return std::nullopt;
  for (int64_t d = 0; !added.empty() && d < added.back(); ++d)
    if (shape[d] != 1 && std::find(added.begin(), added.end(), d) == added.end())
      return std::nullopt;
  auto out = layouts::WGStridedFragLayout::make(shape, strided->vecSize());
  return out ? std::optional<layouts::RegisterLayout>(*out) : std::nullopt;
}

std::optional<layouts::RegisterLayout> reducedLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                     const std::vector<int64_t> &axes) {
  if (std::holds_alternative<layouts::WGSplatFragLayout>(layout))
    return std::nullopt;
  const auto *own = std::get_if<layouts::TiledLayout>(&layout);
  std::optional<layouts::TiledLayout> tiled =
      own ? std::optional(*own) : tiledForm(std::get<layouts::WGStridedFragLayout>(layout));
  if (!tiled || tiled->baseTile().size() > shape.size())
    return std::nullopt;
  auto leading = static_cast<int64_t>(shape.size() - tiled->baseTile().size());
  std::vector<int64_t> inside;
  for (int64_t axis : axes)
    if (axis >= leading)
      inside.push_back(axis - leading);
  if (inside.empty() && !own)
    return *tiled; // with fewer leading dimensions
  auto result = tiled->reduce(inside);
  return result ? std::optional<layouts::RegisterLayout>(*result) : std::nullopt;
}

} // namespace lanescope::core
