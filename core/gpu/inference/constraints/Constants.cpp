#include "core/gpu/inference/constraints/Constants.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <set>

namespace lanescope::core::constraints {

using layouts::Shape;
using layouts::tupleText;

Constant::Constant(layouts::RegisterLayout layout) : value_(std::make_shared<const Value>(std::move(layout))) {}
Constant::Constant(layouts::TiledLayout layout) : Constant(layouts::RegisterLayout(std::move(layout))) {}
Constant::Constant(layouts::TMEMLayout layout) : value_(std::make_shared<const Value>(std::move(layout))) {}
Constant::Constant(SmemTransforms transforms) : value_(std::make_shared<const Value>(std::move(transforms))) {}

const layouts::TiledLayout *Constant::tiled() const {
  return registers() ? std::get_if<layouts::TiledLayout>(registers()) : nullptr;
}

const layouts::WGStridedFragLayout *Constant::strided() const {
  return registers() ? std::get_if<layouts::WGStridedFragLayout>(registers()) : nullptr;
}

const layouts::WGSplatFragLayout *Constant::splat() const {
  return registers() ? std::get_if<layouts::WGSplatFragLayout>(registers()) : nullptr;
}

bool Constant::operator==(const Constant &other) const {
  return value_ == other.value_ || (value_ && other.value_ && *value_ == *other.value_);
}

static std::string tilingText(const SmemTransforms &transforms) {
  return transforms.tiling ? text("TileTransform(tiling=", tupleText(*transforms.tiling), ", rounding=None)") : "None";
}

static std::string swizzleText(const SmemTransforms &transforms) {
  return transforms.swizzle ? text(transforms.swizzle) : "None";
}

std::string Constant::text() const {
  if (const auto *layout = registers())
    return lanescope::text("C(", jaxText(*layout), ")");
  if (const auto *layout = tensor())
    return lanescope::text("C(", jaxText(*layout), ")");
  return lanescope::text("C(", tilingText(*shared()), ", ", swizzleText(*shared()), ")");
}

std::string Constant::listText() const {
  if (const auto *layout = registers())
    return lanescope::text("RegisterLayout(value=", jaxText(*layout), ")");
  if (const auto *layout = tensor())
    return lanescope::text("TMEMLayout(value=", jaxText(*layout), ")");
  return lanescope::text("SMEMTransforms(tiling=", tilingText(*shared()), ", swizzle=", swizzleText(*shared()), ")");
}

namespace {

size_t smallest(const std::vector<int64_t> &values) {
  return static_cast<size_t>(std::min_element(values.begin(), values.end()) - values.begin());
}

bool fitsRegisters(const Shape &shape, const layouts::RegisterLayout &layout) {
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    return strided->shape() == shape;
  if (const auto *splat = std::get_if<layouts::WGSplatFragLayout>(&layout))
    return splat->shape == shape;
  return std::get<layouts::TiledLayout>(layout).tiling().tileShape(shape).has_value();
}

Result<bool> fitsShared(const VariableInfo &info, const SmemTransforms &transforms) {
  if (transforms.tiling && transforms.tiling->empty())
    return error("layout-not-inferable", "a tiling of no dimension is not supported");
  if (info.shape.empty())
    return !transforms.tiling && !transforms.swizzle;
  size_t minor = smallest(info.strides);
  if (info.strides[minor] != 1)
    return error("layout-not-inferable",
                 "a reference in shared memory without a contiguous dimension has no transforms");
  if (info.bitwidth == 0)
    return error("layout-not-inferable", "elements of shared memory have a width that is no power of two");
  const int64_t swizzled = 8 * transforms.swizzle / info.bitwidth; // elements in a swizzled row
  const bool duplicates = std::ranges::count(info.strides, 1) > 1;
  if (!transforms.tiling) {
    if (!transforms.swizzle)
      return true;
    return !duplicates && swizzled > 0 && info.shape[minor] % swizzled == 0;
  }
  const Shape &tiling = *transforms.tiling;
  if (tiling.size() > info.shape.size())
    return false;
  for (size_t i = 0, untiled = info.shape.size() - tiling.size(); i < tiling.size(); ++i)
    if (tiling[i] == 0 || info.shape[untiled + i] % tiling[i] != 0)
      return false;
  if (duplicates)
    return !transforms.swizzle;
  auto strides = tiledStrides(info.strides, tiling);
  if (!strides)
    return false;
  if (!transforms.swizzle)
    return true;
  std::vector<int64_t> within(strides->end() - static_cast<std::ptrdiff_t>(tiling.size()), strides->end());
  return swizzled > 0 && tiling[smallest(within)] % swizzled == 0;
}

} // namespace

Result<bool> isValidAssignment(const VariableInfo &info, const Constant &constant) {
  if (const auto *layout = constant.registers())
    return info.space == MemorySpace::Registers && fitsRegisters(info.shape, *layout);
  if (const auto *layout = constant.tensor())
    return info.space == MemorySpace::Tensor && layout->tiled().tiling().tileShape(info.shape).has_value();
  if (info.space != MemorySpace::Shared)
    return false;
  return fitsShared(info, *constant.shared());
}

Result<Shape> tiledStrides(const std::vector<int64_t> &strides, const Shape &tiling) {
  const size_t rank = tiling.size();
  auto refuse = [&](std::string_view why) {
    return error("layout-not-inferable", Message("strides {strides} cannot be cut into tiles of {tile}: {}",
                                                 tupleText(strides), tupleText(tiling), why));
  };
  if (strides.size() < rank)
    return refuse("there are fewer dimensions");
  const size_t untiled = strides.size() - rank;
  Shape ordered = strides;
  std::ranges::sort(ordered, std::greater<>());
  if (std::set<int64_t>(ordered.begin() + static_cast<std::ptrdiff_t>(untiled), ordered.end()) !=
      std::set<int64_t>(strides.begin() + static_cast<std::ptrdiff_t>(untiled), strides.end()))
    return refuse("tiled dimensions are transposed with untiled ones");

  // Sorts the tiled dimensions from the outermost to the contiguous one. Dimensions with equal strides (of size one)
  // are ordered by tile size.
  std::vector<std::pair<int64_t, int64_t>> dims, sorted; // stride, tile
  for (size_t i = 0; i < rank; ++i)
    dims.emplace_back(strides[untiled + i], tiling[i]);
  sorted = dims;
  std::ranges::sort(sorted, std::greater<>());
  std::vector<int64_t> within(rank), between(rank);
  int64_t element = 1;
  for (size_t i = rank; i-- > 0;) {
    within[i] = element;
    element = layouts::saturatingMultiply(element, sorted[i].second);
  }
  if (rank > 0)
    between[rank - 1] = element;
  for (size_t i = rank; i-- > 1;) {
    int64_t below = layouts::saturatingMultiply(sorted[i].first, sorted[i].second);
    if (below == 0 || sorted[i - 1].first % below != 0)
      return refuse("a stride is not a multiple of the tile below it");
    between[i - 1] = layouts::saturatingMultiply(sorted[i - 1].first / below, between[i]);
  }
  Shape out(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(untiled));
  auto place = [&](size_t i) { return static_cast<size_t>(std::ranges::find(sorted, dims[i]) - sorted.begin()); };
  for (size_t i = 0; i < rank; ++i)
    out.push_back(between[place(i)]);
  for (size_t i = 0; i < rank; ++i)
    out.push_back(within[place(i)]);
  return out;
}

} // namespace lanescope::core::constraints
