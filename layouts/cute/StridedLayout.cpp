#include "layouts/cute/StridedLayout.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

/// Column-major strides that start at `next`; advances `next`. An unknown size makes all later strides unknown.
IntTuple compactStride(const IntTuple &shape, Leaf &next, Checked &checked) {
  if (shape.isTuple) {
    std::vector<IntTuple> items;
    for (const IntTuple &item : shape.items)
      items.push_back(compactStride(item, next, checked));
    return IntTuple::of(std::move(items));
  }
  Leaf stride = next;
  // CuTe gives static size-1 modes stride 0 (compact_major).
  if (shape.leaf.kind == Leaf::Kind::Int && shape.leaf.value == 1 && shape.leaf.isStatic)
    return Leaf{.isStatic = true};
  if (shape.leaf.kind != Leaf::Kind::Int || next.kind != Leaf::Kind::Int)
    next = Leaf{.kind = Leaf::Kind::Unknown, .value = 1};
  else
    next = Leaf{.isStatic = next.isStatic && shape.leaf.isStatic, .value = checked.times(next.value, shape.leaf.value)};
  return stride;
}

Result<void> checkShape(const IntTuple &shape) {
  for (const Leaf &leaf : leavesOf(shape)) {
    if (leaf.kind == Leaf::Kind::Whole)
      return error("cute-shape", "`_` is not a size; it stands for a whole mode in a tile");
    if (!leaf.basis.empty())
      return error("cute-shape", Message("`{}` is not a size; `@` belongs to strides", dslText(leaf)));
    if (leaf.kind == Leaf::Kind::Int && leaf.value < 1)
      return error("cute-shape", Message("a size is {}; sizes start at 1", leaf.value));
  }
  return checkSize(shape, "the shape");
}

} // namespace

Result<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  if (Result<void> checked = checkShape(shape); !checked)
    return std::unexpected(std::move(checked.error()));
  if (!congruent(shape, stride))
    return error("cute-congruence",
                 Message("the strides `{}` are not nested as the shape `{shape}` is", dslText(stride), dslText(shape)));
  Layout layout{std::move(shape), std::move(stride)};
  Checked extent;
  int64_t size = 1, last = 0;
  for (const FlatMode &mode : flatModes(layout)) {
    if (mode.stride.kind == Leaf::Kind::Whole)
      return error("cute-stride", "`_` is not a stride");
    if (mode.size.kind != Leaf::Kind::Int)
      continue;
    size = extent.times(size, mode.size.value);
    if (mode.stride.kind == Leaf::Kind::Int)
      last = extent.plus(last, extent.times(mode.size.value - 1, std::abs(mode.stride.value)));
  }
  if (extent.overflowed())
    return error("cute-range", Message("`{layout}` is too large: sizes, strides and offsets up to 2^60 are supported",
                                       dslText(layout)));
  return layout;
}

Result<Layout> Layout::compact(IntTuple shape) {
  if (Result<void> checked = checkShape(shape); !checked)
    return std::unexpected(std::move(checked.error()));
  Checked checked;
  Leaf one{.isStatic = true, .value = 1};
  // The unit stride is static only in a static shape, so that `(4,8)` prints as `(4,8):(1,4)`.
  std::vector<Leaf> leaves = leavesOf(shape);
  one.isStatic = std::ranges::any_of(leaves, [](const Leaf &leaf) { return leaf.isStatic; });
  IntTuple stride = compactStride(shape, one, checked);
  if (checked.overflowed())
    return error("cute-range",
                 Message("the shape `{shape}` is too large: sizes up to 2^60 are supported", dslText(shape)));
  return make(std::move(shape), std::move(stride));
}

Layout makeLayout(const std::vector<Layout> &layouts) {
  Layout out{IntTuple::of({}), IntTuple::of({})};
  for (const Layout &layout : layouts) {
    out.shape.items.push_back(layout.shape);
    out.stride.items.push_back(layout.stride);
  }
  return out;
}

std::vector<FlatMode> flatModes(const Layout &layout) {
  std::vector<Leaf> sizes = leavesOf(layout.shape), strides = leavesOf(layout.stride);
  std::vector<FlatMode> modes;
  for (size_t i = 0; i < sizes.size(); ++i)
    modes.push_back({std::move(sizes[i]), std::move(strides[i])});
  return modes;
}

Result<void> requireKnown(const Layout &layout, std::string_view what) {
  if (layout.known())
    return {};
  return error(
      "cute-unknown",
      Message("{} needs numbers, but `{layout}` has `?`, which only a running kernel knows; put a number in its place",
              what, cppText(layout)));
}

Result<void> requireIntegers(const Layout &layout, std::string_view what) {
  if (hasBasis(layout.stride))
    return error("cute-basis", Message("{} needs integer strides, but those of `{layout}` give coordinates (`@`)", what,
                                       cppText(layout)));
  return requireKnown(layout, what);
}

int64_t valueAt(const Layout &layout, int64_t index) { return valueAt(flatModes(layout), index); }

int64_t valueAt(const std::vector<FlatMode> &modes, int64_t index) {
  Checked checked;
  int64_t value = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    bool last = i + 1 == modes.size();
    int64_t digit = last ? index : index % modes[i].size.value;
    index /= modes[i].size.value;
    value = checked.plus(value, checked.times(digit, modes[i].stride.value));
  }
  return value;
}

int64_t cosizeOf(const Layout &layout) {
  Checked checked;
  int64_t last = 0;
  for (const FlatMode &mode : flatModes(layout))
    last = checked.plus(last, checked.times(mode.size.value - 1, std::abs(mode.stride.value)));
  return last + 1;
}

Layout along(const Layout &layout, const std::vector<int> &basis) {
  Layout out = layout;
  auto project = [&](auto &&self, IntTuple &stride) -> void {
    if (!stride.isTuple && stride.leaf.basis != basis)
      stride.leaf.value = 0;
    stride.leaf.basis.clear();
    for (IntTuple &item : stride.items)
      self(self, item);
  };
  project(project, out.stride);
  return out;
}

std::vector<std::vector<int>> basesOf(const Layout &layout) {
  std::vector<std::vector<int>> bases;
  for (const FlatMode &mode : flatModes(layout))
    if (mode.stride.value != 0 || !mode.stride.basis.empty())
      bases.push_back(mode.stride.basis);
  std::ranges::sort(bases);
  bases.erase(std::ranges::unique(bases).begin(), bases.end());
  return bases;
}

std::vector<int64_t> valuesOf(const Layout &layout) {
  std::vector<int64_t> values(static_cast<size_t>(layout.size()));
  size_t filled = 1;
  for (const FlatMode &mode : flatModes(layout))
    for (int64_t copy = 1, block = static_cast<int64_t>(filled); copy < mode.size.value; ++copy)
      for (int64_t i = 0; i < block; ++i)
        values[filled++] = values[static_cast<size_t>(i)] + copy * mode.stride.value;
  return values;
}

std::string cppText(const Layout &layout) { return text(cppText(layout.shape), ':', cppText(layout.stride)); }
std::string dslText(const Layout &layout) { return text(dslText(layout.shape), ':', dslText(layout.stride)); }

Result<Swizzle> Swizzle::make(int64_t bits, int64_t base, int64_t shift) {
  constexpr int64_t kMost = 30;
  if (bits < 0 || bits > kMost || base < 0 || base > kMost || shift < -kMost || shift > kMost)
    return error("cute-swizzle",
                 Message("the swizzle has {bits} bits, base {base} and shift {}; bits and base go from 0 to "
                         "{limit}, the shift from {} to {}",
                         bits, base, shift, kMost, -kMost, kMost));
  if (std::abs(shift) < bits)
    return error("cute-swizzle", Message("a swizzle of {bits} bits needs a shift of at least that, not {}: the bits "
                                         "that it reads and those that it changes must not overlap",
                                         bits, shift));
  return Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
}

std::string text(const Swizzle &swizzle, std::string_view name) {
  return lanescope::text(name, '<', swizzle.bits, ',', swizzle.base, ',', swizzle.shift, '>');
}

} // namespace lanescope::layouts::cute
