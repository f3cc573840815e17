// Computes the places of an array's elements in a CuteLayout: coordinates to offsets, swizzles of elements and of
// addresses, outer layouts.
#include "layouts/cute/CuteOffsets.h"
#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

std::unexpected<Diagnostics> noOffsets(Message why) { return error("layout-memory", std::move(why)); }

/// Maps each row-major index to its colexicographic index.
std::vector<int32_t> columnMajorOf(const Shape &shape, size_t count) {
  std::vector<std::vector<int64_t>> tables;
  int64_t weight = 1;
  for (int64_t size : shape) {
    tables.push_back(multiples(size, weight));
    weight *= size;
  }
  return outerSum<int32_t>(tables, count);
}

/// Applies a swizzle of byte addresses to the offsets of elements of `bits` bits.
Result<void> swizzleAddresses(const Swizzle &swizzle, int bits, std::vector<int64_t> &offsets) {
  for (int64_t &offset : offsets) {
    if (offset < 0 || offset > (int64_t(1) << 40))
      return error("map-range", Message("an element at offset {offset} is beyond any memory", offset));
    int64_t bit = offset * bits;
    int64_t moved = swizzle.apply(bit / 8) * 8 + bit % 8;
    if (moved % bits != 0)
      return error("cute-swizzle",
                   Message("`{}` takes the bytes of one {bits}-bit element apart: its base must leave them together",
                           cute::text(swizzle, "Sw"), bits));
    offset = moved / bits;
  }
  return {};
}

/// One term of the composition with an outer layout: the mode of `outer` that a basis vector of `inner` selects, the
/// offset in that mode, and the part of `inner` along the vector.
struct Term {
  std::vector<FlatMode> mode;
  int64_t size = 0, start = 0;
  Layout along;
};

/// Collects the integers of an offset, with their paths.
void offsetLeaves(const IntTuple &offset, std::vector<int> path,
                  std::vector<std::pair<std::vector<int>, int64_t>> &out) {
  if (!offset.isTuple) {
    out.emplace_back(std::move(path), offset.leaf.value);
    return;
  }
  for (size_t i = 0; i < offset.items.size(); ++i) {
    std::vector<int> inner = path;
    inner.push_back(static_cast<int>(i));
    offsetLeaves(offset.items[i], std::move(inner), out);
  }
}

Result<std::vector<Term>> termsOf(const Layout &outer, const IntTuple &offset, const Layout &inner) {
  std::vector<std::pair<std::vector<int>, int64_t>> starts;
  offsetLeaves(offset, {}, starts);
  if (!cute::known(offset))
    return error("cute-unknown", Message("the offset `{}` is not known", cppText(offset)));
  std::vector<std::vector<int>> bases = basesOf(inner);
  for (const auto &[path, start] : starts)
    if (start != 0 && std::ranges::find(bases, path) == bases.end())
      bases.push_back(path);
  std::vector<Term> terms;
  for (const std::vector<int> &basis : bases) {
    Layout mode = outer;
    for (int i : basis) {
      if (static_cast<size_t>(i) >= mode.rank())
        return error("cute-basis", Message("`@{}` points at a mode that `{}` does not have", i, cppText(mode)));
      Layout next = mode.mode(static_cast<size_t>(i));
      mode = std::move(next);
    }
    Term term{flatModes(mode), mode.size(), 0, along(inner, basis)};
    for (const auto &[path, start] : starts)
      if (path == basis)
        term.start = start;
    terms.push_back(std::move(term));
  }
  return terms;
}

} // namespace

std::vector<int64_t> multiples(int64_t size, int64_t weight) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    out[static_cast<size_t>(i)] = i * weight;
  return out;
}

Result<int64_t> boundedCount(const Shape &shape) {
  Result<int64_t> count = checkedElementCount(shape);
  if (count && *count > kMaxMapEntries)
    return error("map-too-large", Message("shape {shape} has {elements} elements; at most {limit} are supported",
                                          tupleText(shape), *count, kMaxMapEntries));
  if (count && *count == 0)
    return error("empty-shape", Message("shape {shape} has no elements", tupleText(shape)));
  return count;
}

Result<std::vector<int64_t>> plainOffsets(const Layout &layout, const Shape &shape, const std::string &name) {
  Result<int64_t> count = boundedCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  if (layout.size() != *count)
    return error("shape-mismatch", Message("`{name}` has {}, but shape {shape} has {count}; compose it with a tile, or "
                                           "ask about an array of its own size",
                                           name, counted(layout.size(), "element"), tupleText(shape), *count));
  auto elements = static_cast<size_t>(*count);
  Shape own;
  for (size_t i = 0; i < layout.rank(); ++i)
    own.push_back(productOf(layout.shape.mode(i)));
  if (own == shape) {
    std::vector<std::vector<int64_t>> tables;
    for (size_t i = 0; i < layout.rank(); ++i)
      tables.push_back(valuesOf(layout.mode(i)));
    return outerSum<int64_t>(tables, elements);
  }
  std::vector<int64_t> byIndex = valuesOf(layout), out(elements);
  std::vector<int32_t> index = columnMajorOf(shape, elements);
  for (size_t e = 0; e < elements; ++e)
    out[e] = byIndex[static_cast<size_t>(index[e])];
  return out;
}

Result<std::vector<int64_t>> offsetsOf(const CuteLayout &layout, const Shape &shape, int bits) {
  const Parts &parts = layout.parts();
  const std::string name = layout.text();
  if (parts.tile)
    return noOffsets(Message("`{name}` is a tile, which divides layouts; it places no elements by itself", name));
  if (parts.engine && parts.engine->sparsity > 1)
    return noOffsets(Message("`{name}` counts sparse elements, of which {} share one place; write the pointer of the "
                             "stored type to see the places",
                             name, parts.engine->sparsity));
  if (!parts.plain) { // a bare swizzle: a function of offsets
    if (shape.size() != 1)
      return noOffsets(Message("`{name}` is a function of offsets; for an array of rank {rank} say how it is stored: "
                               "`{} o _0 o (8,64):(64,1)`",
                               name, shape.size(), name));
    Result<int64_t> count = boundedCount(shape);
    if (!count)
      return std::unexpected(std::move(count.error()));
    std::vector<int64_t> out = multiples(*count, 1);
    for (int64_t &offset : out)
      offset = layout.swizzle()->apply(offset);
    return out;
  }
  const Layout &plain = *parts.plain;
  if (const auto *outer = std::get_if<Layout>(&parts.outer)) {
    for (const Layout *part : {outer, &plain})
      if (Result<void> known = requireKnown(*part, "a map"); !known)
        return std::unexpected(std::move(known.error()));
    if (hasBasis(outer->stride))
      return noOffsets(Message("the outer layout of `{name}` gives coordinates, not offsets", name));
    Result<std::vector<Term>> terms = termsOf(*outer, *parts.offset, plain);
    if (!terms)
      return std::unexpected(std::move(terms.error()));
    Result<int64_t> count = boundedCount(shape);
    if (!count)
      return std::unexpected(std::move(count.error()));
    std::vector<int64_t> out(static_cast<size_t>(*count), 0);
    for (const Term &term : *terms) {
      Result<std::vector<int64_t>> indices = plainOffsets(term.along, shape, name);
      if (!indices)
        return indices;
      for (size_t e = 0; e < out.size(); ++e) {
        int64_t index = (*indices)[e] + term.start;
        if (index < 0)
          return error("map-range", Message("`{name}` asks its outer layout for index {index}", name, index));
        Checked checked;
        out[e] = checked.plus(out[e], valueAt(term.mode, index));
      }
    }
    return out;
  }
  if (Result<void> integers = requireIntegers(plain, "an offset"); !integers)
    return std::unexpected(std::move(integers.error()));
  Result<std::vector<int64_t>> offsets = plainOffsets(plain, shape, name);
  if (!offsets || !layout.swizzle())
    return offsets;
  int64_t start = 0;
  if (parts.offset) {
    if (parts.offset->isTuple || parts.offset->leaf.kind != Leaf::Kind::Int)
      return error("cute-parts",
                   Message("a swizzle acts on one integer; the offset `{}` is not", cppText(*parts.offset)));
    start = parts.offset->leaf.value;
  }
  for (int64_t &offset : *offsets) {
    offset += start;
    if (offset < 0)
      return error("map-range", Message("`{name}` swizzles the negative offset {offset}", name, offset));
  }
  if (parts.swizzlesAddress) {
    if (Result<void> swizzled = swizzleAddresses(*layout.swizzle(), bits, *offsets); !swizzled)
      return std::unexpected(std::move(swizzled.error()));
    return offsets;
  }
  for (int64_t &offset : *offsets)
    offset = layout.swizzle()->apply(offset);
  return offsets;
}

/// Converts a swizzle of byte addresses to one of element offsets, whose base counts elements. Nothing if the swizzle
/// would separate bytes of one element, or if the elements' bits are not a power of two.
static std::optional<Swizzle> onElements(const Swizzle &swizzle, int bits) {
  int log = 0;
  while ((1 << log) < bits)
    ++log;
  int base = swizzle.base + 3 - log; // an element of 2^log bits
  if ((1 << log) != bits || base < 0)
    return std::nullopt;
  return Swizzle{swizzle.bits, base, swizzle.shift};
}

/// The common case, in 32 bits and few passes: the layout's own shape, strides from 0 up, a swizzle of elements.
static std::optional<std::vector<int32_t>> smallOffsets(const CuteLayout &layout, const Shape &shape, int bits) {
  const Parts &parts = layout.parts();
  if (!parts.plain || !parts.plain->known() || hasBasis(parts.plain->stride) ||
      parts.engine.value_or(Engine()).sparsity || std::holds_alternative<Layout>(parts.outer) ||
      (parts.offset && *parts.offset != IntTuple(0, true)))
    return std::nullopt;
  const Layout &plain = *parts.plain;
  if (plain.rank() != shape.size() || plain.size() > kMaxMapEntries || cosizeOf(plain) > kMaxMapEntries)
    return std::nullopt;
  for (const FlatMode &mode : flatModes(plain))
    if (mode.stride.value < 0)
      return std::nullopt;
  Swizzle swizzle;
  if (const Swizzle *given = layout.swizzle()) {
    std::optional<Swizzle> usable = parts.swizzlesAddress ? onElements(*given, bits) : *given;
    if (!usable || usable->shift < 0 || usable->base + usable->shift + usable->bits > 31)
      return std::nullopt;
    swizzle = *usable;
  }
  std::vector<std::vector<int64_t>> tables;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (productOf(plain.shape.mode(i)) != shape[i])
      return std::nullopt;
    tables.push_back(valuesOf(plain.mode(i)));
  }
  std::vector<int32_t> offsets = outerSum<int32_t>(tables, static_cast<size_t>(plain.size()));
  if (swizzle.bits > 0) {
    const auto mask = static_cast<int32_t>(((int64_t(1) << swizzle.bits) - 1) << (swizzle.base + swizzle.shift));
    for (int32_t &offset : offsets)
      offset ^= (offset & mask) >> swizzle.shift;
  }
  return offsets;
}

Result<void> checkBits(const CuteLayout &layout, int bits) {
  if (std::optional<int> own = layout.bitwidth(); own && *own != bits)
    return error(
        "dtype-mismatch",
        Message("the pointer of `{layout}` is of {bits}-bit elements, not of {other_bits}-bit ones; recast it first",
                layout.text(), *own, bits));
  if (bits < 1 || bits > 128)
    return error("dtype-mismatch", Message("elements of {bits} bits are not supported", bits));
  return {};
}

Result<AddressMap> CuteLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (Result<void> bits = checkBits(*this, bitwidth); !bits)
    return std::unexpected(std::move(bits.error()));
  if (parts_.operand || (parts_.engine && parts_.engine->kind == Engine::Kind::Tmem))
    return noOffsets(Message("`{}` is a layout of {memory}, not of memory", text(), name(memories().front())));
  if (std::optional<std::vector<int32_t>> small = smallOffsets(*this, shape, bitwidth))
    return AddressMap::make(text(), shape, bitwidth, *std::move(small));
  Result<std::vector<int64_t>> offsets = offsetsOf(*this, shape, bitwidth);
  if (!offsets)
    return std::unexpected(std::move(offsets.error()));
  std::vector<int32_t> narrow(offsets->size());
  for (size_t e = 0; e < narrow.size(); ++e) {
    int64_t offset = (*offsets)[e];
    if (offset < 0 || offset >= kMaxMapEntries)
      return error(
          "map-range",
          Message("`{}` puts element {coordinates} at offset {offset}; offsets from 0 to {limit} are supported", text(),
                  tupleText(unravelIndex(int64_t(e), shape)), offset, kMaxMapEntries - 1));
    narrow[e] = static_cast<int32_t>(offset);
  }
  return AddressMap::make(text(), shape, bitwidth, std::move(narrow));
}

Result<int64_t> CuteLayout::offsetAt(const Shape &coordinate) const {
  if (!parts_.plain)
    return error("layout-memory", Message("`{}` has no coordinates", text()));
  if (Result<void> known = requireKnown(*parts_.plain, "an offset"); !known)
    return std::unexpected(std::move(known.error()));
  const Layout &plain = *parts_.plain;
  if (coordinate.size() != 1 && coordinate.size() != plain.rank())
    return error("cute-rank", Message("`{layout}` takes one index, or {rank} of them, not {count}", cppText(plain),
                                      plain.rank(), coordinate.size()));
  int64_t index = 0, weight = 1;
  for (size_t i = 0; i < coordinate.size(); ++i) {
    int64_t size = coordinate.size() == 1 ? plain.size() : productOf(plain.shape.mode(i));
    if (coordinate[i] < 0 || coordinate[i] >= size)
      return error("index-range", Message("{} is outside the mode of size {size}", coordinate[i], size));
    index += coordinate[i] * weight;
    weight *= size;
  }
  if (const auto *outer = std::get_if<Layout>(&parts_.outer)) {
    Result<std::vector<Term>> terms = termsOf(*outer, *parts_.offset, plain);
    if (!terms)
      return std::unexpected(std::move(terms.error()));
    Checked checked;
    int64_t offset = 0;
    for (const Term &term : *terms)
      offset = checked.plus(offset, valueAt(term.mode, valueAt(term.along, index) + term.start));
    return offset;
  }
  if (Result<void> integers = requireIntegers(plain, "an offset"); !integers)
    return std::unexpected(std::move(integers.error()));
  std::vector<int64_t> offset = {valueAt(plain, index)};
  if (const Swizzle *swizzle = this->swizzle()) {
    if (parts_.offset && !parts_.offset->isTuple)
      offset[0] += parts_.offset->leaf.value;
    if (offset[0] < 0)
      return error("map-range", Message("`{}` swizzles the negative offset {offset}", text(), offset[0]));
    if (!parts_.swizzlesAddress)
      return swizzle->apply(offset[0]);
    if (Result<void> bits = checkBits(*this, parts_.engine->bits); !bits)
      return std::unexpected(std::move(bits.error()));
    if (Result<void> swizzled = swizzleAddresses(*swizzle, parts_.engine->bits, offset); !swizzled)
      return std::unexpected(std::move(swizzled.error()));
  }
  return offset[0];
}

} // namespace lanescope::layouts::cute
