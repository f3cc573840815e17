// Writes placements of any language as TIRx layouts.
#include "layouts/Digits.h"
#include "layouts/notation/tirx/Tirx.h"
#include "layouts/support/Text.h"
#include "layouts/tirx/TirxLayout.h"
#include "layouts/Unswizzle.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

using tirx::Axis;
using tirx::Iter;
using tirx::SwizzleSpec;
using tirx::TileSpec;

std::unexpected<Diagnostics> notTirx(std::string_view what) {
  return error("notation-lossy", Message("TIRx cannot write this layout: {}", what));
}

Result<std::string> printed(std::optional<TileSpec> tile, std::optional<SwizzleSpec> swizzle = std::nullopt) {
  Result<tirx::TirxLayout> layout = tirx::TirxLayout::make(std::move(tile), swizzle);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return layout->text();
}

/// One axis of the places, and the `weight` at which its digits start.
struct AxisRange {
  int64_t weight;
  Axis axis;
};

/// The digits as iterators, major index first; `ranges` ascend.
Result<std::string> affine(const std::optional<PlaceDigits> &places, const Shape &shape,
                           const std::vector<AxisRange> &ranges) {
  std::vector<int64_t> cuts;
  for (const AxisRange &range : ranges)
    cuts.push_back(range.weight);
  std::optional<std::vector<DimDigit>> digits, copies;
  if (places) {
    digits = splitPlaces(places->digits, shape, cuts);
    copies = splitPlaces(places->copies, {}, cuts);
  }
  if (!digits || !copies)
    return notTirx("its places are not mixed-radix digits of the index");
  auto iter = [&](const DimDigit &digit) {
    const AxisRange *range = &ranges.front();
    for (const AxisRange &candidate : ranges)
      if (digit.slot >= candidate.weight)
        range = &candidate;
    return Iter{digit.size, digit.slot / range->weight, range->axis};
  };
  TileSpec tile;
  for (size_t i = digits->size(); i-- > 0;)
    tile.shard.push_back(iter((*digits)[i]));
  if (tile.shard.empty())
    tile.shard.push_back({1, 1, ranges.front().axis});
  for (size_t i = copies->size(); i-- > 0;)
    tile.replica.push_back(iter((*copies)[i]));
  int64_t left = places->base;
  for (size_t i = ranges.size(); i-- > 0; left %= ranges[i].weight)
    if (int64_t steps = left / ranges[i].weight)
      tile.offset[ranges[i].axis] = steps;
  return printed(std::move(tile));
}

Result<std::string> tirxRegisters(const ElementMap &map) {
  int64_t values = map.values();
  std::optional<PlaceDigits> places = placeDigitsOf(map);
  auto along = [&](std::vector<AxisRange> ranges) {
    if (values > 1)
      ranges.insert(ranges.begin(), {1, Axis::M});
    return affine(places, map.shape(), ranges);
  };
  // Use lanes and warps if the digits divide so and the warps have TIRx's size. Otherwise use plain threads.
  Result<std::string> out = std::unexpected(Diagnostics());
  if (map.threads() % kLanesPerWarp == 0 && map.inWarpsOf(kLanesPerWarp))
    out = map.threads() == kLanesPerWarp ? along({{values, Axis::LaneId}})
                                         : along({{values, Axis::LaneId}, {values * kLanesPerWarp, Axis::WarpId}});
  return out ? out : along({{values, Axis::Tx}});
}

Result<std::string> tirxTmem(const TmemMap &map) {
  return affine(placeDigitsOf(map), map.shape(),
                {{1, Axis::TCol}, {int64_t(map.columns()) * map.packing(), Axis::TLane}});
}

Result<std::string> tirxShared(const AddressMap &map) {
  std::optional<Unswizzled> plain = unswizzled(map.offsets());
  if (!plain)
    return notTirx("its offsets are not strided, swizzled or not");
  TileSpec tile;
  for (size_t i = plain->table.digits.size(); i-- > 0;) {
    const Digit &digit = plain->table.digits[i];
    if (digit.element < 0)
      return notTirx("its offsets run downwards");
    tile.shard.push_back({digit.size, digit.element, Axis::M});
  }
  if (tile.shard.empty())
    tile.shard.push_back({1, 1, Axis::M});
  if (plain->table.base != 0)
    tile.offset[Axis::M] = plain->table.base;
  std::optional<SwizzleSpec> swizzle;
  if (plain->swizzle)
    swizzle = SwizzleSpec{plain->swizzle->base, plain->swizzle->bits, plain->swizzle->shift};
  return printed(std::move(tile), swizzle);
}

} // namespace

Result<std::string> tirxText(const Placement &placement) {
  if (const auto *map = std::get_if<ElementMap>(&placement))
    return tirxRegisters(*map);
  if (const auto *map = std::get_if<AddressMap>(&placement))
    return tirxShared(*map);
  return tirxTmem(std::get<TmemMap>(placement));
}

} // namespace lanescope::layouts
