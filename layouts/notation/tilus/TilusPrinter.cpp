// Writes placements of any language as Tilus layouts.
#include "layouts/Digits.h"
#include "layouts/notation/tilus/Tilus.h"
#include "layouts/support/Text.h"
#include "layouts/tilus/TilusLayout.h"
#include "layouts/Unswizzle.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

template <typename L> Result<std::string> printed(Result<L> layout) {
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return layout->text();
}

std::unexpected<Diagnostics> notTilus(std::string_view what) {
  return error("notation-lossy", Message("Tilus cannot write this layout: {}", what));
}

/// The array's modes, dimension by dimension, major first. Sorts `digits` by them.
Shape modesOf(std::vector<DimDigit> &digits) {
  std::erase_if(digits, [](const DimDigit &digit) { return digit.dim < 0; });
  std::ranges::sort(
      digits, [](const DimDigit &a, const DimDigit &b) { return a.dim != b.dim ? a.dim < b.dim : a.unit > b.unit; });
  Shape modes;
  for (const DimDigit &digit : digits)
    modes.push_back(digit.size);
  return modes;
}

Result<std::string> tilusRegisters(const ElementMap &map) {
  std::optional<std::vector<Digit>> digits = digitsOf(map);
  int64_t values = map.values();
  std::optional<std::vector<DimDigit>> bySlot;
  if (digits)
    bySlot = splitDigits(*digits, map.shape(), std::span(&values, 1));
  if (!bySlot)
    return notTilus("its threads and registers are not mixed-radix digits of the index");
  std::vector<DimDigit> byIndex = *bySlot;
  Shape modes = modesOf(byIndex), spatialModes, localModes;
  for (size_t i = bySlot->size(); i-- > 0;) {
    const DimDigit &digit = (*bySlot)[i];
    bool local = digit.slot < values;
    if (digit.dim < 0 && local)
      return notTilus("a thread holds an element several times");
    int64_t mode = digit.dim < 0 ? -digit.size : std::ranges::find(byIndex, digit) - byIndex.begin();
    (local ? localModes : spatialModes).push_back(mode);
  }
  return printed(tilus::RegisterLayout::make(map.shape(), modes, spatialModes, localModes));
}

Result<std::string> tilusShared(const AddressMap &map) {
  std::optional<Unswizzled> plain = unswizzled(map.offsets());
  std::optional<std::vector<DimDigit>> digits;
  if (plain && plain->table.base == 0) {
    std::vector<Digit> byIndex;
    for (const Digit &digit : plain->table.digits)
      byIndex.push_back({digit.size, digit.slot, digit.element});
    digits = splitPlaces(byIndex, map.shape(), {});
  }
  if (!digits)
    return notTilus("its offsets are not strided, swizzled or not");
  Shape modes = modesOf(*digits), strides;
  for (const DimDigit &digit : *digits)
    strides.push_back(digit.slot);
  return printed(tilus::SharedLayout::make(map.shape(), modes, strides, plain->swizzle));
}

Result<std::string> tilusTmem(const TmemMap &map) {
  std::optional<PlaceDigits> places = placeDigitsOf(map);
  int64_t perLane = int64_t(map.columns()) * map.packing();
  std::optional<std::vector<DimDigit>> digits;
  if (places && places->copies.empty())
    digits = splitPlaces(places->digits, map.shape(), std::span(&perLane, 1));
  if (!digits || places->base % perLane != 0)
    return notTilus("tensor memory is not rows of one lane each");
  Shape strides(map.shape().size(), 0);
  for (const DimDigit &digit : *digits) {
    if (digit.dim == 0 ? digit.slot != perLane || digit.size != map.shape()[0] : digit.slot >= perLane)
      return notTilus("its rows are not consecutive lanes");
    if (digit.dim > 0 && digit.unit != 1)
      return notTilus("the columns of a dimension have no single stride");
    if (digit.dim > 0)
      strides[digit.dim] = digit.slot;
  }
  return printed(tilus::TmemLayout::make(map.shape(), places->base / perLane, strides));
}

} // namespace

Result<std::string> tilusText(const Placement &placement) {
  if (const auto *map = std::get_if<ElementMap>(&placement))
    return tilusRegisters(*map);
  if (const auto *map = std::get_if<AddressMap>(&placement))
    return tilusShared(*map);
  return tilusTmem(std::get<TmemMap>(placement));
}

} // namespace lanescope::layouts
