// What a CuteLayout means for an array: its three maps.
#include "layouts/cute/CuteLayout.h"
#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

/// out[row-major index] = the sum of the tables' entries at its coordinates.
template <typename Int> std::vector<Int> outerSum(const std::vector<std::vector<int64_t>> &tables, size_t count) {
  std::vector<Int> out(count);
  size_t filled = 1;
  for (size_t dim = tables.size(); dim-- > 0;) {
    const std::vector<int64_t> &table = tables[dim];
    for (size_t i = table.size(); i-- > 0;) { // the block at 0 is the source, so it takes its own term last
      Int term = static_cast<Int>(table[i]);
      for (size_t k = 0; k < filled; ++k)
        out[i * filled + k] = out[k] + term;
    }
    filled *= table.size();
  }
  return out;
}

std::vector<int64_t> multiples(int64_t size, int64_t weight) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    out[static_cast<size_t>(i)] = i * weight;
  return out;
}

/// For each row-major index its colexicographic one.
std::vector<int32_t> columnMajorOf(const Shape &shape, size_t count) {
  std::vector<std::vector<int64_t>> tables;
  int64_t weight = 1;
  for (int64_t size : shape) {
    tables.push_back(multiples(size, weight));
    weight *= size;
  }
  return outerSum<int32_t>(tables, count);
}

Result<int64_t> boundedCount(const Shape &shape) {
  Result<int64_t> count = checkedElementCount(shape);
  if (count && *count > kMaxMapEntries)
    return error("map-too-large", text("shape ", tupleText(shape), " has ", *count, " elements; at most ",
                                       kMaxMapEntries, " are supported"));
  if (count && *count == 0)
    return error("shape-empty", text("shape ", tupleText(shape), " has no elements"));
  return count;
}

/// Offsets of a plain integer layout, per element of the array.
Result<std::vector<int64_t>> plainOffsets(const Layout &layout, const Shape &shape, const std::string &name) {
  Result<int64_t> count = boundedCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  if (layout.size() != *count)
    return error("shape-mismatch",
                 text("`", name, "` has ", layout.size(), layout.size() == 1 ? " element" : " elements", ", but shape ",
                      tupleText(shape), " has ", *count,
                      "; compose it with a tile, or ask about an array of its own size"));
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

/// Applies a swizzle of byte addresses to offsets of elements of `bits` bits.
Result<void> swizzleAddresses(const Swizzle &swizzle, int bits, std::vector<int64_t> &offsets) {
  for (int64_t &offset : offsets) {
    int64_t bit = offset * bits;
    int64_t moved = swizzle.apply(bit / 8) * 8 + bit % 8;
    if (moved % bits != 0)
      return error("cute-swizzle", text("`", cute::text(swizzle, "Sw"), "` takes the bytes of one ", bits,
                                        "-bit element apart: its base must leave them together"));
    offset = moved / bits;
  }
  return {};
}

std::unexpected<Diagnostics> noMap(std::string why) { return error("layout-memory", std::move(why)); }

/// Terms of the composition with an outer layout: the mode of `outer` that each basis vector of `inner` picks, the
/// offset there, and the inner layout along it.
struct Term {
  std::vector<FlatMode> mode;
  int64_t size = 0, start = 0;
  Layout along;
};

/// The integers of an offset, by path.
void offsetLeaves(const IntTuple &offset, std::vector<int> path,
                  std::vector<std::pair<std::vector<int>, int64_t>> &out) {
  if (!offset.isTuple)
    out.emplace_back(std::move(path), offset.leaf.value);
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
    return error("cute-unknown", text("the offset `", cppText(offset), "` is not known"));
  std::vector<std::vector<int>> bases = basesOf(inner);
  for (const auto &[path, start] : starts)
    if (start != 0 && std::ranges::find(bases, path) == bases.end())
      bases.push_back(path);
  std::vector<Term> terms;
  for (const std::vector<int> &basis : bases) {
    Layout mode = outer;
    for (int i : basis) {
      if (static_cast<size_t>(i) >= mode.rank())
        return error("cute-basis", text("`@", i, "` points at a mode that `", cppText(mode), "` does not have"));
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

/// Offsets of elements of `bits` bits, with the outer layout or swizzle applied. 0 bits: no width is known.
static Result<std::vector<int64_t>> offsetsOf(const CuteLayout &layout, const Shape &shape, int bits) {
  const Parts &parts = layout.parts();
  const std::string name = layout.text();
  if (parts.tile)
    return noMap(text("`", name, "` is a tile, which divides layouts; it places no elements by itself"));
  if (parts.engine && parts.engine->sparsity > 1)
    return noMap(text("`", name, "` counts sparse elements, of which ", parts.engine->sparsity,
                      " share one place; write the pointer of the stored type to see the places"));
  if (!parts.plain) { // a bare swizzle: a function of offsets
    if (shape.size() != 1)
      return noMap(text("`", name, "` is a function of offsets; for an array of rank ", shape.size(),
                        " say how it is stored: `", name, " o _0 o (8,64):(64,1)`"));
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
      return noMap(text("the outer layout of `", name, "` gives coordinates, not offsets"));
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
          return error("map-range", text("`", name, "` asks its outer layout for index ", index));
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
                   text("a swizzle acts on one integer; the offset `", cppText(*parts.offset), "` is not"));
    start = parts.offset->leaf.value;
  }
  for (int64_t &offset : *offsets) {
    offset += start;
    if (offset < 0)
      return error("map-range", text("`", name, "` swizzles the negative offset ", offset));
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

static Result<void> checkBits(const CuteLayout &layout, int bits) {
  if (std::optional<int> own = layout.bitwidth(); own && *own != bits)
    return error("dtype-mismatch", text("the pointer of `", layout.text(), "` is of ", *own, "-bit elements, not of ",
                                        bits, "-bit ones; recast it first"));
  if (bits < 1 || bits > 128)
    return error("dtype-mismatch", text("elements of ", bits, " bits are not supported"));
  return {};
}

Result<AddressMap> CuteLayout::addressMap(const Shape &shape, int bitwidth) const {
  if (Result<void> bits = checkBits(*this, bitwidth); !bits)
    return std::unexpected(std::move(bits.error()));
  if (parts_.operand || (parts_.engine && parts_.engine->kind == Engine::Kind::Tmem))
    return noMap(lanescope::text("`", text(), "` is a layout of ", name(memories().front()), ", not of memory"));
  Result<std::vector<int64_t>> offsets = offsetsOf(*this, shape, bitwidth);
  if (!offsets)
    return std::unexpected(std::move(offsets.error()));
  std::vector<int32_t> narrow(offsets->size());
  for (size_t e = 0; e < narrow.size(); ++e) {
    int64_t offset = (*offsets)[e];
    if (offset < 0 || offset >= kMaxMapEntries)
      return error("map-range", lanescope::text("`", text(), "` puts element ",
                                                tupleText(unravelIndex(int64_t(e), shape)), " at offset ", offset,
                                                "; offsets from 0 to ", kMaxMapEntries - 1, " are supported"));
    narrow[e] = static_cast<int32_t>(offset);
  }
  return AddressMap::make(text(), shape, bitwidth, std::move(narrow));
}

namespace {

/// One dimension's coordinate (or the whole column-major index) as a sum of a thread's and a value's part.
struct Separable {
  std::vector<int64_t> thread, value;
  int64_t limit; // coordinates are below it
};

std::unexpected<Diagnostics> outside(const std::string &name, const Shape &shape, size_t thread, size_t value,
                                     int64_t at, bool index) {
  return error("shape-mismatch",
               text("`", name, "` does not fit shape ", tupleText(shape), ": value ", value, " of thread ", thread,
                    index ? " has column-major index " : " has coordinate ", at));
}

} // namespace

Result<ElementMap> CuteLayout::elementMap(const Shape &shape) const {
  const std::string name = text();
  if (parts_.tile || !parts_.plain || parts_.engine)
    return ForeignLayout::elementMap(shape);
  if (Result<void> known = requireKnown(*parts_.plain, "a register map"); !known)
    return std::unexpected(std::move(known.error()));
  Result<int64_t> count = boundedCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  const Layout &plain = *parts_.plain;
  if (plain.rank() > 2)
    return error("cute-rank", lanescope::text("a (thread, value) layout has two modes, but `", name, "` has ",
                                              plain.rank(), "; put the values' modes in parentheses"));
  const Layout one{IntTuple(1, true), IntTuple(0, true)};
  Layout threads = plain.rank() == 0 ? one : plain.mode(0), values = plain.rank() < 2 ? one : plain.mode(1);
  // Row by row: a thread of the layout, or the place that its ThrID gives it.
  std::vector<int64_t> ids = multiples(threads.size() > kMaxMapEntries ? 1 : threads.size(), 1);
  int64_t rows = threads.size();
  if (parts_.operand && parts_.operand->threadIds) {
    const Layout &map = *parts_.operand->threadIds;
    if (Result<void> integers = requireIntegers(map, "a thread number"); !integers)
      return std::unexpected(std::move(integers.error()));
    if (map.size() != threads.size())
      return error("cute-parts", lanescope::text("ThrID `", cppText(map), "` numbers ", map.size(), " threads, but `",
                                                 cppText(plain), "` has ", threads.size()));
    rows = (cosizeOf(map) + kLanesPerWarp - 1) / kLanesPerWarp * kLanesPerWarp;
  }
  if (saturatingMultiply(rows, values.size()) > kMaxMapEntries || threads.size() > kMaxMapEntries)
    return error("map-too-large", lanescope::text("`", name, "` has ", rows, " threads with ", values.size(),
                                                  " values; at most ", kMaxMapEntries, " entries are supported"));
  if (parts_.operand && parts_.operand->threadIds)
    ids = valuesOf(*parts_.operand->threadIds);
  for (int64_t id : ids)
    if (id < 0)
      return error("cute-parts", lanescope::text("ThrID numbers a thread ", id));

  auto width = static_cast<size_t>(values.size());
  std::vector<int32_t> elements(static_cast<size_t>(rows) * width, -1);
  std::vector<std::vector<int>> bases = basesOf(plain);
  bool coordinates = hasBasis(plain.stride);
  if (coordinates && (this->swizzle() || parts_.offset))
    return noMap(lanescope::text("`", name, "` composes coordinates with offsets; it has no elements"));
  if (const auto *outer = std::get_if<Layout>(&parts_.outer); outer)
    return noMap(lanescope::text("`", name, "` is a composed layout; compose it to read it as (thread, value)"));
  int64_t start = parts_.offset && !parts_.offset->isTuple ? parts_.offset->leaf.value : 0;
  Shape rowStrides = contiguousStrides(shape);
  std::vector<Separable> parts;
  if (coordinates) {
    for (const std::vector<int> &basis : bases)
      if (basis.size() != 1 || static_cast<size_t>(basis[0]) >= shape.size())
        return error("cute-basis",
                     lanescope::text("`", name, "` has a coordinate that shape ", tupleText(shape),
                                     " does not: every stride must be `n@d` with d below ", shape.size()));
    for (size_t dim = 0; dim < shape.size(); ++dim)
      parts.push_back({valuesOf(along(threads, {static_cast<int>(dim)})),
                       valuesOf(along(values, {static_cast<int>(dim)})), shape[dim]});
  } else {
    parts.push_back({valuesOf(threads), valuesOf(values), *count});
  }
  std::vector<int32_t> rowMajor; // of a column-major index
  if (!coordinates) {
    std::vector<std::vector<int64_t>> tables;
    for (size_t dim = shape.size(); dim-- > 0;)
      tables.push_back(multiples(shape[dim], rowStrides[dim]));
    rowMajor = outerSum<int32_t>(tables, static_cast<size_t>(*count));
  }
  const Swizzle *swizzle = this->swizzle();
  auto slow = [&](size_t t, size_t v) -> Result<int32_t> {
    int64_t element = 0;
    for (size_t dim = 0; dim < parts.size(); ++dim) {
      int64_t at = parts[dim].thread[t] + parts[dim].value[v] + start;
      if (swizzle && at >= 0)
        at = swizzle->apply(at);
      if (at < 0 || at >= parts[dim].limit)
        return outside(name, shape, t, v, at, !coordinates);
      element += coordinates ? at * rowStrides[dim] : rowMajor[static_cast<size_t>(at)];
    }
    return static_cast<int32_t>(element);
  };
  auto [lowThread, highThread] = std::ranges::minmax(parts[0].thread);
  auto [lowValue, highValue] = std::ranges::minmax(parts[0].value);
  bool plainSum = !coordinates && !swizzle && lowThread + lowValue + start >= 0 &&
                  highThread + highValue + start < *count; // then the one sum below is all there is to do
  for (size_t t = 0; t < ids.size(); ++t) {
    int32_t *row = elements.data() + static_cast<size_t>(ids[t]) * width;
    for (size_t v = 0; v < width; ++v) {
      if (plainSum) {
        row[v] = rowMajor[static_cast<size_t>(parts[0].thread[t] + start + parts[0].value[v])];
        continue;
      }
      Result<int32_t> element = slow(t, v);
      if (!element)
        return std::unexpected(std::move(element.error()));
      row[v] = *element;
    }
  }
  return ElementMap::fromTable(toLayout(*this), shape, static_cast<int>(rows), static_cast<int>(width), 1, elements);
}

Result<TmemMap> CuteLayout::tmemMap(const Shape &shape, int bitwidth) const {
  bool pointer = parts_.engine && parts_.engine->kind == Engine::Kind::Tmem;
  bool coordinates = parts_.plain && hasBasis(parts_.plain->stride) && !parts_.engine &&
                     std::holds_alternative<std::monostate>(parts_.outer) && !parts_.operand;
  if (!pointer && !coordinates)
    return ForeignLayout::tmemMap(shape, bitwidth);
  if (Result<void> bits = checkBits(*this, bitwidth); !bits)
    return std::unexpected(std::move(bits.error()));
  if (bitwidth > kTmemCellBits || kTmemCellBits % bitwidth != 0)
    return error("dtype-mismatch",
                 lanescope::text("elements of ", bitwidth, " bits do not fit the 32-bit columns of ", "tensor memory"));
  const std::string name = text();
  int packing = kTmemCellBits / bitwidth;
  std::vector<int64_t> lanes, columns; // columns count elements
  if (pointer) {
    Result<std::vector<int64_t>> offsets = offsetsOf(*this, shape, bitwidth);
    if (!offsets)
      return std::unexpected(std::move(offsets.error()));
    int64_t perLane = int64_t(packing) << 16;
    for (int64_t offset : *offsets) {
      lanes.push_back(offset < 0 ? -1 : offset / perLane);
      columns.push_back(offset < 0 ? -1 : offset % perLane);
    }
  } else {
    if (packing != 1)
      return error("dtype-mismatch",
                   lanescope::text("the coordinates of `", name, "` are lanes and 32-bit columns; for ", bitwidth,
                                   "-bit elements write `tmem_[", bitwidth, "b](0x0) o …`"));
    if (Result<void> known = requireKnown(*parts_.plain, "a tensor-memory map"); !known)
      return std::unexpected(std::move(known.error()));
    for (const std::vector<int> &basis : basesOf(*parts_.plain))
      if (basis != std::vector<int>{0} && basis != std::vector<int>{1})
        return error("cute-basis",
                     lanescope::text("in tensor memory `@0` is the lane and `@1` the column; `", name, "` has others"));
    for (int dim : {0, 1}) {
      Result<std::vector<int64_t>> part = plainOffsets(along(*parts_.plain, {dim}), shape, name);
      if (!part)
        return std::unexpected(std::move(part.error()));
      (dim == 0 ? lanes : columns) = *std::move(part);
    }
  }
  int64_t most = 0;
  for (size_t e = 0; e < lanes.size(); ++e) {
    if (lanes[e] < 0 || lanes[e] >= kTmemLanes || columns[e] < 0 || columns[e] >= int64_t(kTmemColumns) * packing)
      return error("map-range",
                   lanescope::text("`", name, "` puts element ",
                                   tupleText(unravelIndex(static_cast<int64_t>(e), shape)), " at lane ", lanes[e],
                                   ", column ", columns[e] < 0 ? -1 : columns[e] / packing, "; tensor memory has ",
                                   kTmemLanes, " lanes of ", kTmemColumns, " columns"));
    most = std::max(most, columns[e] / packing);
  }
  auto width = static_cast<size_t>((most + 1) * packing);
  std::vector<int32_t> cells(static_cast<size_t>(kTmemLanes) * width, -1);
  for (size_t e = 0; e < lanes.size(); ++e) {
    int32_t &cell = cells[static_cast<size_t>(lanes[e]) * width + static_cast<size_t>(columns[e])];
    if (cell >= 0)
      return error("map-range", lanescope::text("`", name, "` puts the elements ", tupleText(unravelIndex(cell, shape)),
                                                " and ", tupleText(unravelIndex(static_cast<int64_t>(e), shape)),
                                                " in one place, lane ", lanes[e], ", column ", columns[e] / packing));
    cell = static_cast<int32_t>(e);
  }
  return TmemMap::fromTable(toLayout(*this), shape, bitwidth, static_cast<int>(most + 1), packing, cells);
}

Result<int64_t> CuteLayout::offsetAt(const Shape &coordinate) const {
  if (!parts_.plain)
    return error("layout-memory", lanescope::text("`", text(), "` has no coordinates"));
  if (Result<void> known = requireKnown(*parts_.plain, "an offset"); !known)
    return std::unexpected(std::move(known.error()));
  const Layout &plain = *parts_.plain;
  if (coordinate.size() != 1 && coordinate.size() != plain.rank())
    return error("cute-rank", lanescope::text("`", cppText(plain), "` takes one index, or ", plain.rank(),
                                              " of them, not ", coordinate.size()));
  int64_t index = 0, weight = 1;
  for (size_t i = 0; i < coordinate.size(); ++i) {
    int64_t size = coordinate.size() == 1 ? plain.size() : productOf(plain.shape.mode(i));
    if (coordinate[i] < 0 || coordinate[i] >= size)
      return error("index-range", lanescope::text(coordinate[i], " is outside the mode of size ", size));
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
      return error("map-range", lanescope::text("`", text(), "` swizzles the negative offset ", offset[0]));
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
