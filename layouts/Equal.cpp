#include "layouts/Equal.h"

#include "layouts/Reading.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

/// True if both maps hold the element in the same threads and values. If the maps have equally many values per thread,
/// their slot numbers can be compared.
bool samePlaces(const ElementMap &a, const ElementMap &b, int64_t element) {
  std::span<const int32_t> left = a.slots(element), right = b.slots(element);
  if (a.values() == b.values())
    return std::ranges::equal(left, right);
  return std::ranges::equal(left, right, [&](int32_t l, int32_t r) {
    return l / a.values() == r / b.values() && l % a.values() == r % b.values();
  });
}

std::vector<int32_t> threadsOf(const ElementMap &map, int64_t element) {
  std::vector<int32_t> out;
  for (int32_t slot : map.slots(element))
    if (int32_t thread = slot / map.values(); out.empty() || out.back() != thread)
      out.push_back(thread);
  return out;
}

/// The register renaming that turns `a` into `b` in every thread; empty if there is none.
std::vector<int32_t> renamingOf(const ElementMap &a, const ElementMap &b) {
  if (a.threads() != b.threads() || a.values() != b.values())
    return {};
  auto values = static_cast<size_t>(a.values());
  std::span<const int32_t> left = a.elements(), right = b.elements();
  // The first thread proposes a renaming, and the others check it. If a thread holds a value twice, the copies are
  // matched in order.
  std::vector<int32_t> renaming(values, -1);
  std::vector<std::pair<int32_t, int32_t>> source(values), target(values);
  for (size_t v = 0; v < values; ++v) {
    source[v] = {left[v], static_cast<int32_t>(v)};
    target[v] = {right[v], static_cast<int32_t>(v)};
  }
  std::ranges::sort(source);
  std::ranges::sort(target);
  for (size_t i = 0; i < values; ++i) {
    if (source[i].first != target[i].first)
      return {};
    renaming[static_cast<size_t>(source[i].second)] = target[i].second;
  }
  for (size_t base = 0; base < left.size(); base += values)
    for (size_t v = 0; v < values; ++v)
      if (left[base + v] != right[base + static_cast<size_t>(renaming[v])])
        return {};
  return renaming;
}

std::string threadText(const ElementMap &map, int32_t slot) {
  int thread = slot / map.values();
  std::string where =
      map.warps() > 1 ? text(" (warp ", map.warpOf(thread), ", lane ", map.laneOf(thread), ")") : std::string();
  return text("thread ", thread, where, " value ", slot % map.values());
}

/// Lists parts in words: "a", "a and b", "a, b and 6 more".
std::string listed(const std::vector<std::string> &parts) {
  if (parts.empty())
    return "nowhere";
  if (parts.size() <= 2)
    return joined(parts, " and ");
  return text(parts[0], ", ", parts[1], " and ", parts.size() - 2, " more");
}

EqualResult compared(const ElementMap &a, const ElementMap &b) {
  EqualResult out;
  if (a.threads() == b.threads() && a.values() == b.values() && std::ranges::equal(a.elements(), b.elements())) {
    out.exact = out.sameOwners = true;
    return out;
  }
  out.sameOwners = a.threads() == b.threads();
  int64_t count = elementCount(a.shape());
  for (int64_t element = 0; element < count; ++element) {
    if (samePlaces(a, b, element))
      continue;
    if (++out.differing == 1)
      out.counterexample = {unravelIndex(element, a.shape()), placeText(Placement(a), element),
                            placeText(Placement(b), element)};
    out.sameOwners = out.sameOwners && threadsOf(a, element) == threadsOf(b, element);
  }
  // The maps may differ only in trailing empty slots or idle threads; the elements have not moved.
  out.exact = out.differing == 0;
  out.sameOwners = out.sameOwners || out.exact;
  if (!out.exact)
    out.renaming = renamingOf(a, b);
  return out;
}

EqualResult compared(const AddressMap &a, const AddressMap &b) {
  EqualResult out;
  out.memory = Memory::Shared;
  int64_t count = elementCount(a.shape());
  for (int64_t element = 0; element < count; ++element)
    if (a.offset(element) != b.offset(element) && ++out.differing == 1)
      out.counterexample = {unravelIndex(element, a.shape()), placeText(Placement(a), element),
                            placeText(Placement(b), element)};
  out.exact = out.sameOwners = out.differing == 0;
  return out;
}

EqualResult compared(const TmemMap &a, const TmemMap &b) {
  EqualResult out;
  out.memory = Memory::Tmem;
  int64_t count = elementCount(a.shape());
  for (int64_t element = 0; element < count; ++element)
    if (a.cells(element) != b.cells(element) && ++out.differing == 1)
      out.counterexample = {unravelIndex(element, a.shape()), placeText(Placement(a), element),
                            placeText(Placement(b), element)};
  out.exact = out.sameOwners = out.differing == 0;
  return out;
}

std::unexpected<Diagnostics> differentShapes(const Shape &a, const Shape &b) {
  return error(
      "shape-mismatch",
      Message("the maps are of arrays of shapes {shape} and {other_shape}; only maps of one shape can be compared",
              tupleText(a), tupleText(b)));
}

} // namespace

std::string placeText(const Placement &placement, int64_t element) {
  std::vector<std::string> parts;
  if (const auto *map = std::get_if<ElementMap>(&placement)) {
    for (int32_t slot : map->slots(element))
      parts.push_back(threadText(*map, slot));
  } else if (const auto *tmem = std::get_if<TmemMap>(&placement)) {
    for (const TmemCell &cell : tmem->cells(element))
      parts.push_back(text("lane ", cell.lane, ", column ", cell.column,
                           tmem->packing() > 1 ? text(", part ", cell.sub) : std::string()));
  } else {
    const auto &shared = std::get<AddressMap>(placement);
    if (element >= 0 && element < elementCount(shared.shape())) {
      int64_t bit = int64_t(shared.offset(element)) * shared.bitwidth();
      parts.push_back(text("byte ", bit / 8, bit % 8 != 0 ? text(" bit ", bit % 8) : std::string()));
    }
  }
  return listed(parts);
}

Result<EqualResult> equal(const Placement &a, const Placement &b) {
  if (a.index() != b.index())
    return error("layout-memory", "the maps are of different memories and cannot be compared");
  if (const auto *left = std::get_if<ElementMap>(&a)) {
    const auto &right = std::get<ElementMap>(b);
    if (left->shape() != right.shape())
      return differentShapes(left->shape(), right.shape());
    return compared(*left, right);
  }
  if (const auto *left = std::get_if<TmemMap>(&a)) {
    const auto &right = std::get<TmemMap>(b);
    if (left->shape() != right.shape())
      return differentShapes(left->shape(), right.shape());
    return compared(*left, right);
  }
  const auto &left = std::get<AddressMap>(a);
  const auto &right = std::get<AddressMap>(b);
  if (left.shape() != right.shape())
    return differentShapes(left.shape(), right.shape());
  if (left.bitwidth() != right.bitwidth())
    return error("dtype-mismatch",
                 Message("the maps are of elements of {bits} and {other_bits} bits; only equal widths can be compared",
                         left.bitwidth(), right.bitwidth()));
  return compared(left, right);
}

Result<std::pair<Placement, Placement>> commonPlacements(const Layout &a, const Layout &b, const Shape &shape,
                                                         int bitwidth, std::optional<Memory> asked) {
  Result<CommonReading> reading = commonReading(a, b, {.shape = shape, .memory = asked});
  if (!reading)
    return std::unexpected(std::move(reading.error()));
  Memory memory = reading->memory;
  auto placed = [&](const Layout &layout) {
    Result<Placement> out = placement(layout, shape, bitwidth, memory);
    if (!out && memoryOf(layout) != memory) // the error should say that this is not the layout's natural memory
      out.error().front().message =
          text("`", layoutText(layout), "`, read as a layout of ", name(memory), ": ", out.error().front().message);
    return out;
  };
  Result<Placement> left = placed(a), right = placed(b);
  if (left.has_value() != right.has_value()) {
    Diagnostics why = std::move(left ? right.error() : left.error());
    const std::string fits = layoutText(left ? a : b);
    constexpr size_t kLong = 60;
    why.front().message +=
        text("; ", fits.size() > kLong ? left ? "the first layout" : "the second layout" : text('`', fits, '`'),
             " has a map of shape ", tupleText(shape));
    return std::unexpected(std::move(why));
  }
  if (!left)
    return std::unexpected(std::move(left.error()));
  return std::pair(*std::move(left), *std::move(right));
}

Result<EqualResult> equal(const Layout &a, const Layout &b, const Shape &shape, int bitwidth,
                          std::optional<Memory> memory) {
  Result<std::pair<Placement, Placement>> both = commonPlacements(a, b, shape, bitwidth, memory);
  if (!both)
    return std::unexpected(std::move(both.error()));
  return equal(both->first, both->second);
}

} // namespace lanescope::layouts
