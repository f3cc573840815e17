#include "layouts/cute/Coordinates.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

std::unexpected<Diagnostics> nested(const IntTuple &coordinate, const IntTuple &shape) {
  return error("cute-rank", Message("the coordinate `{coordinate}` does not fit the shape `{shape}`: one number or `_` "
                                    "for all of it, or {rank} parts",
                                    dslText(coordinate), dslText(shape), shape.rank()));
}

Result<void> inside(const Leaf &leaf, int64_t size) {
  if (leaf.kind != Leaf::Kind::Int || !leaf.basis.empty())
    return error("cute-rank", Message("`{}` is no number", dslText(leaf)));
  if (leaf.value < 0 || leaf.value >= size)
    return error("index-range", Message("{} is outside the mode of size {size}", leaf.value, size));
  return {};
}

/// Appends the modes at `_`, and adds the others to the offset.
Result<void> sliceInto(const IntTuple &coordinate, const Layout &layout, std::vector<Layout> &kept, int64_t &offset) {
  if (!coordinate.isTuple && coordinate.leaf.kind == Leaf::Kind::Whole) {
    kept.push_back(layout);
    return {};
  }
  if (!coordinate.isTuple) {
    if (Result<void> fits = inside(coordinate.leaf, layout.size()); !fits)
      return fits;
    offset += valueAt(layout, coordinate.leaf.value);
    return {};
  }
  if (!layout.shape.isTuple || coordinate.rank() != layout.rank())
    return nested(coordinate, layout.shape);
  for (size_t i = 0; i < layout.rank(); ++i)
    if (Result<void> mode = sliceInto(coordinate.items[i], layout.mode(i), kept, offset); !mode)
      return mode;
  return {};
}

} // namespace

Result<int64_t> indexOf(const IntTuple &coordinate, const IntTuple &shape) {
  if (!known(shape))
    return error("cute-unknown", Message("the shape `{shape}` is not known", cppText(shape)));
  if (!coordinate.isTuple) {
    if (Result<void> fits = inside(coordinate.leaf, productOf(shape)); !fits)
      return std::unexpected(std::move(fits.error()));
    return coordinate.leaf.value;
  }
  if (!shape.isTuple || coordinate.rank() != shape.rank())
    return nested(coordinate, shape);
  int64_t index = 0, weight = 1;
  for (size_t i = 0; i < shape.rank(); ++i) {
    Result<int64_t> part = indexOf(coordinate.items[i], shape.items[i]);
    if (!part)
      return part;
    index += *part * weight;
    weight = saturatingMultiply(weight, productOf(shape.items[i]));
  }
  return index;
}

Result<IntTuple> coordinateOf(int64_t index, const IntTuple &shape) {
  if (!known(shape))
    return error("cute-unknown", Message("the shape `{shape}` is not known", cppText(shape)));
  int64_t size = productOf(shape);
  if (index < 0 || index >= size)
    return error("index-range",
                 Message("{} is outside the shape `{shape}` of size {size}", index, dslText(shape), size));
  if (!shape.isTuple)
    return IntTuple(index);
  std::vector<IntTuple> parts;
  for (const IntTuple &mode : shape.items) {
    int64_t own = productOf(mode);
    Result<IntTuple> part = coordinateOf(index % own, mode);
    if (!part)
      return part;
    parts.push_back(*std::move(part));
    index /= own;
  }
  return IntTuple::of(std::move(parts));
}

bool hasWhole(const IntTuple &coordinate) {
  std::vector<Leaf> leaves = leavesOf(coordinate);
  return std::ranges::any_of(leaves, [](const Leaf &leaf) { return leaf.kind == Leaf::Kind::Whole; });
}

Result<Slice> slice(const IntTuple &coordinate, const Layout &layout) {
  if (Result<void> integers = requireIntegers(layout, "a slice"); !integers)
    return std::unexpected(std::move(integers.error()));
  std::vector<Layout> kept;
  Slice out;
  if (Result<void> done = sliceInto(coordinate, layout, kept, out.offset); !done)
    return std::unexpected(std::move(done.error()));
  out.layout = coordinate.isTuple ? makeLayout(kept) : kept.empty() ? makeLayout({}) : kept[0];
  return out;
}

Result<CuteLayout> slice(const IntTuple &coordinate, const CuteLayout &layout) {
  if (!layout.parts().plain)
    return error("layout-memory", Message("`{layout}` has no coordinates", layout.text()));
  Result<Slice> part = slice(coordinate, *layout.parts().plain);
  if (!part)
    return std::unexpected(std::move(part.error()));
  Parts parts = layout.parts();
  parts.plain = part->layout;
  parts.operand.reset();
  if (part->offset == 0 || (!layout.swizzle() && !parts.engine && parts.outer.index() == 0))
    // This follows CuTe's layout(…). For a plain slice, slice_and_offset returns the offset.
    return CuteLayout::make(std::move(parts));
  // The swizzle of bytes becomes the same swizzle of elements, so that an offset can follow it.
  if (parts.swizzlesAddress) {
    Swizzle swizzle = *layout.swizzle();
    int bytes = parts.engine->bits / 8, shift = bytes > 0 ? std::countr_zero(static_cast<unsigned>(bytes)) : 0;
    if (bytes < 1 || (1 << shift) != bytes || shift > swizzle.base || parts.engine->bits % 8 != 0)
      return error("layout-memory", Message("a part of `{layout}` begins inside of its swizzle", layout.text()));
    parts.outer = Swizzle{swizzle.bits, swizzle.base - shift, swizzle.shift};
    parts.swizzlesAddress = false;
    parts.engine.reset();
  }
  if (parts.outer.index() == 0) // the address of the pointer is dropped
    return CuteLayout::make(std::move(parts));
  if (parts.offset && parts.offset->isTuple)
    return error("layout-memory",
                 Message("a part of `{layout}` begins at a coordinate, not at an offset", layout.text()));
  parts.offset = IntTuple((parts.offset ? parts.offset->leaf.value : 0) + part->offset, true);
  return CuteLayout::make(std::move(parts));
}

} // namespace lanescope::layouts::cute
