// Maps an array's elements to the threads or tensor-memory cells that hold them, by a CuteLayout.
#include "layouts/cute/CuteOffsets.h"
#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"
#include "layouts/XorMap.h"

#include <algorithm>
#include <bit>
#include <span>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

std::unexpected<Diagnostics> noMap(Message why) { return error("layout-memory", std::move(why)); }

/// One dimension's coordinate (or the whole column-major index), as the sum of a thread's part and a value's part.
struct Separable {
  std::vector<int64_t> thread, value;
  int64_t limit; // coordinates are below it
};

/// One leaf of a (thread, value) layout. Its values are multiples of `element` in row-major order.
struct LeafDigit {
  int64_t size, element;
};

/// Appends a mode's leaves to `digits`, last (slowest) first, and adds their range to each dimension's coordinate.
/// False if the steps of a leaf leave one dimension and enter the middle of the next.
bool leafDigits(const Layout &mode, const Shape &shape, const Shape &rowStrides, std::vector<LeafDigit> &digits,
                Shape &reached) {
  std::vector<FlatMode> leaves = flatModes(mode);
  for (size_t i = leaves.size(); i-- > 0;) {
    int64_t size = leaves[i].size.value, stride = leaves[i].stride.value;
    if (size == 1 || stride == 0) {
      digits.push_back({size, 0});
      continue;
    }
    if (stride < 0)
      return false;
    if (!leaves[i].stride.basis.empty()) {
      auto dim = static_cast<size_t>(leaves[i].stride.basis[0]);
      digits.push_back({size, saturatingMultiply(stride, rowStrides[dim])});
      reached[dim] += std::min(saturatingMultiply(stride, size - 1), kMaxMapEntries);
      continue;
    }
    // The steps of a column-major index: those along one dimension, and those along the next one if they continue
    // there.
    std::vector<LeafDigit> pieces;
    int64_t weight = 1;
    for (size_t dim = 0; dim < shape.size() && size > 1; weight *= shape[dim++]) {
      int64_t border = weight * shape[dim];
      if (stride >= border)
        continue;
      if (stride % weight != 0 || border % stride != 0)
        return false;
      int64_t within = std::min(size, border / stride);
      if (size % within != 0)
        return false;
      pieces.push_back({within, stride / weight * rowStrides[dim]});
      reached[dim] += stride / weight * (within - 1);
      size /= within;
      stride *= within;
    }
    if (size > 1)
      return false;
    digits.insert(digits.end(), pieces.rbegin(), pieces.rend());
  }
  return true;
}

/// The table [thread][value] of a layout whose leaves never carry from one dimension into another: a sum of digits.
/// Nothing for other layouts, which are evaluated element by element.
std::optional<std::vector<int32_t>> digitTable(const Layout &threads, const Layout &values, const Shape &shape) {
  std::vector<LeafDigit> digits;
  Shape rowStrides = contiguousStrides(shape), reached(shape.size(), 0);
  if (!leafDigits(threads, shape, rowStrides, digits, reached) ||
      !leafDigits(values, shape, rowStrides, digits, reached))
    return std::nullopt;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (reached[dim] >= shape[dim])
      return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> weights;
  for (const LeafDigit &digit : digits)
    weights.emplace_back(digit.size, digit.element);
  std::vector<int32_t> table(static_cast<size_t>(threads.size() * values.size()));
  layouts::outerSum(weights, table.data());
  return table;
}

/// The table of a swizzled layout whose sizes are all powers of two. Index and swizzle are then exclusive ors of bits.
std::optional<std::vector<int32_t>> bitTable(const Layout &threads, const Layout &values, const Shape &shape,
                                             const Swizzle &swizzle) {
  for (int64_t size : shape)
    if (!std::has_single_bit(static_cast<uint64_t>(size)))
      return std::nullopt;
  Shape backwards(shape.rbegin(), shape.rend()), rowStrides = contiguousStrides(shape);
  std::ranges::reverse(rowStrides);
  int64_t seen = 0, count = elementCount(shape);
  std::vector<int32_t> bases;
  for (const Layout *mode : {&values, &threads})
    for (const FlatMode &leaf : flatModes(*mode)) {
      int64_t size = leaf.size.value, stride = leaf.stride.value;
      if (!std::has_single_bit(static_cast<uint64_t>(size)) || stride < 0)
        return std::nullopt;
      for (int64_t step = stride; size > 1; size /= 2, step *= 2) {
        if ((step & seen) != 0 || step >= count || swizzle.apply(step) >= count)
          return std::nullopt;
        seen |= step;
        int64_t element = 0;
        Shape index = unravelIndex(swizzle.apply(step), backwards); // column-major: the last dimension is the slowest
        for (size_t dim = 0; dim < index.size(); ++dim)
          element += index[dim] * rowStrides[dim];
        bases.push_back(static_cast<int32_t>(element));
      }
    }
  std::vector<int32_t> table(size_t(1) << bases.size());
  xorSums(bases, table.data());
  return table;
}

std::unexpected<Diagnostics> outside(const std::string &name, const Shape &shape, size_t thread, size_t value,
                                     int64_t at, bool index) {
  return error("shape-mismatch",
               Message("`{name}` does not fit shape {shape}: value {} of thread {thread}{}{}", name, tupleText(shape),
                       value, thread, index ? " has column-major index " : " has coordinate ", at));
}

/// [thread][value] -> row-major element. Strides are basis vectors of `shape`, or multiples of a column-major index
/// that begins at `start` and is swizzled. Error: a place outside the array; the message names the first.
Result<std::vector<int32_t>> threadValueTable(const Layout &threads, const Layout &values, const Shape &shape,
                                              int64_t start, const Swizzle *swizzle, const std::string &name) {
  std::optional<std::vector<int32_t>> quick;
  if (start == 0)
    quick = swizzle ? bitTable(threads, values, shape, *swizzle) : digitTable(threads, values, shape);
  if (quick)
    return *std::move(quick);
  bool coordinates = hasBasis(threads.stride) || hasBasis(values.stride);
  Shape rowStrides = contiguousStrides(shape);
  std::vector<Separable> parts;
  std::vector<int32_t> rowMajor; // indexed by the column-major index
  if (coordinates) {
    for (size_t dim = 0; dim < shape.size(); ++dim)
      parts.push_back({valuesOf(along(threads, {static_cast<int>(dim)})),
                       valuesOf(along(values, {static_cast<int>(dim)})), shape[dim]});
  } else {
    int64_t count = elementCount(shape);
    parts.push_back({valuesOf(threads), valuesOf(values), count});
    std::vector<std::vector<int64_t>> tables;
    for (size_t dim = shape.size(); dim-- > 0;)
      tables.push_back(multiples(shape[dim], rowStrides[dim]));
    rowMajor = outerSum<int32_t>(tables, static_cast<size_t>(count));
  }
  std::vector<int32_t> table;
  table.reserve(static_cast<size_t>(threads.size() * values.size()));
  for (size_t t = 0; t < static_cast<size_t>(threads.size()); ++t)
    for (size_t v = 0; v < static_cast<size_t>(values.size()); ++v) {
      int64_t element = 0;
      for (size_t dim = 0; dim < parts.size(); ++dim) {
        int64_t at = parts[dim].thread[t] + parts[dim].value[v] + start;
        if (swizzle && at >= 0)
          at = swizzle->apply(at);
        if (at < 0 || at >= parts[dim].limit)
          return outside(name, shape, t, v, at, !coordinates);
        element += coordinates ? at * rowStrides[dim] : rowMajor[static_cast<size_t>(at)];
      }
      table.push_back(static_cast<int32_t>(element));
    }
  return table;
}

/// How often a stated tile repeats along each dimension of an array. Error: the tile does not fill the array.
Result<Shape> tileCounts(const Shape &tile, const Shape &shape, const std::string &name) {
  Shape counts, example = tile;
  bool fits = tile.size() == shape.size();
  for (size_t d = 0; fits && d < tile.size(); ++d) {
    fits = shape[d] > 0 && shape[d] % tile[d] == 0;
    counts.push_back(shape[d] / tile[d]);
  }
  if (fits)
    return counts;
  example.front() *= 2;
  return error("shape-mismatch", Message("`{name}` is for a tile of {tile}, which repeats over arrays that are "
                                         "multiples of it, as {shape}; {other_shape} is no such multiple",
                                         name, tupleText(tile), tupleText(example), tupleText(shape)));
}

/// Extends the table [thread][value] of one tile to an array that the tile fills `counts` times. A thread gets its
/// values of all tiles, with the tiles in column-major order.
std::vector<int32_t> repeated(std::span<const int32_t> table, size_t width, const Shape &tile, const Shape &shape,
                              const Shape &counts) {
  Shape strides = contiguousStrides(shape), backwards(counts.rbegin(), counts.rend());
  std::vector<int32_t> within(static_cast<size_t>(elementCount(tile))); // element of the tile -> element of the array
  for (size_t e = 0; e < within.size(); ++e)
    within[e] = static_cast<int32_t>(ravelIndex(unravelIndex(static_cast<int64_t>(e), tile), shape));
  std::vector<int32_t> origins;
  for (int64_t t = 0; t < elementCount(counts); ++t) {
    Shape index = unravelIndex(t, backwards); // column-major: the last dimension is the slowest
    int64_t origin = 0;
    for (size_t d = 0; d < tile.size(); ++d)
      origin += index[tile.size() - 1 - d] * tile[d] * strides[d];
    origins.push_back(static_cast<int32_t>(origin));
  }
  std::vector<int32_t> out;
  out.reserve(table.size() * origins.size());
  for (size_t row = 0; row < table.size(); row += width)
    for (int32_t origin : origins)
      for (int32_t element : table.subspan(row, width))
        out.push_back(element < 0 ? -1 : origin + within[static_cast<size_t>(element)]);
  return out;
}

} // namespace

Result<ElementMap> CuteLayout::elementMap(const Shape &shape) const {
  const std::string name = text();
  if (parts_.tile)
    return noMap(Message("`{name}` is a tile, one layout per dimension to divide or compose another layout by; it puts "
                         "no elements anywhere",
                         name));
  if (!parts_.plain || parts_.engine)
    return ForeignLayout::elementMap(shape);
  if (Result<void> known = requireKnown(*parts_.plain, "a register map"); !known)
    return std::unexpected(std::move(known.error()));
  Result<int64_t> count = boundedCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  const Shape tile = statedTile().value_or(shape);
  Result<Shape> counts = tileCounts(tile, shape, name);
  if (!counts)
    return std::unexpected(std::move(counts.error()));
  const int64_t tiles = elementCount(*counts);
  const Layout &plain = *parts_.plain;
  if (plain.rank() > 2)
    return error(
        "cute-rank",
        Message("a (thread, value) layout has two modes, but `{name}` has {rank}; put the values' modes in parentheses",
                name, plain.rank()));
  const Layout one{IntTuple(1, true), IntTuple(0, true)};
  Layout threads = plain.rank() == 0 ? one : plain.mode(0), values = plain.rank() < 2 ? one : plain.mode(1);
  // One row per thread of the layout; ThrID may move the row to another thread.
  std::vector<int64_t> ids = multiples(threads.size() > kMaxMapEntries ? 1 : threads.size(), 1);
  int64_t rows = threads.size();
  if (parts_.operand && parts_.operand->threadIds) {
    const Layout &map = *parts_.operand->threadIds;
    if (Result<void> integers = requireIntegers(map, "a thread number"); !integers)
      return std::unexpected(std::move(integers.error()));
    if (map.size() != threads.size())
      return error("cute-parts", Message("ThrID `{}` numbers {threads} threads, but `{layout}` has {count}",
                                         cppText(map), map.size(), cppText(plain), threads.size()));
    rows = (cosizeOf(map) + kLanesPerWarp - 1) / kLanesPerWarp * kLanesPerWarp;
  }
  int64_t perThread = saturatingMultiply(values.size(), tiles);
  if (saturatingMultiply(rows, perThread) > kMaxMapEntries || threads.size() > kMaxMapEntries)
    return error("map-too-large",
                 Message("`{name}` has {threads} threads with {values} values; at most {limit} entries are supported",
                         name, rows, perThread, kMaxMapEntries));
  if (parts_.operand && parts_.operand->threadIds)
    ids = valuesOf(*parts_.operand->threadIds);
  for (int64_t id : ids)
    if (id < 0)
      return error("cute-parts", Message("ThrID numbers a thread {thread}", id));

  auto width = static_cast<size_t>(values.size());
  std::vector<std::vector<int>> bases = basesOf(plain);
  bool coordinates = hasBasis(plain.stride);
  if (coordinates && (this->swizzle() || parts_.offset))
    return noMap(Message("`{name}` composes coordinates with offsets; it has no elements", name));
  if (const auto *outer = std::get_if<Layout>(&parts_.outer); outer)
    return noMap(Message("`{name}` is a composed layout; compose it to read it as (thread, value)", name));
  int64_t start = parts_.offset && !parts_.offset->isTuple ? parts_.offset->leaf.value : 0;
  if (coordinates)
    for (const std::vector<int> &basis : bases)
      if (basis.size() != 1 || static_cast<size_t>(basis[0]) >= shape.size())
        return error("cute-basis", Message("`{name}` has a coordinate that shape {shape} does not: every stride must "
                                           "be `n@d` with d below {count}",
                                           name, tupleText(shape), shape.size()));
  auto table = threadValueTable(threads, values, tile, start, this->swizzle(), name);
  if (!table)
    return std::unexpected(std::move(table.error()));
  if (parts_.operand && parts_.operand->threadIds) {
    std::vector<int32_t> elements(static_cast<size_t>(rows) * width, -1);
    for (size_t t = 0; t < ids.size(); ++t)
      std::copy_n(table->data() + t * width, width, elements.data() + static_cast<size_t>(ids[t]) * width);
    *table = std::move(elements);
  }
  if (tiles > 1)
    *table = repeated(*table, width, tile, shape, *counts);
  return ElementMap::fromTable(toLayout(*this), shape, static_cast<int>(rows), static_cast<int>(perThread), 1,
                               *std::move(table));
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
                 Message("elements of {bits} bits do not fit the 32-bit columns of tensor memory", bitwidth));
  const std::string name = text();
  int packing = kTmemCellBits / bitwidth;
  std::vector<int64_t> lanes, columns; // columns are counted in elements
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
      return error("dtype-mismatch", Message("the coordinates of `{name}` are lanes and 32-bit columns; for {bits}-bit "
                                             "elements write `tmem_[{other_bits}b](0x0) o …`",
                                             name, bitwidth, bitwidth));
    if (Result<void> known = requireKnown(*parts_.plain, "a tensor-memory map"); !known)
      return std::unexpected(std::move(known.error()));
    for (const std::vector<int> &basis : basesOf(*parts_.plain))
      if (basis != std::vector<int>{0} && basis != std::vector<int>{1})
        return error("cute-basis",
                     Message("in tensor memory `@0` is the lane and `@1` the column; `{name}` has others", name));
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
      return error("map-range", Message("`{name}` puts element {coordinates} at lane {lane}, column {}; tensor memory "
                                        "has {limit} lanes of {} columns",
                                        name, tupleText(unravelIndex(static_cast<int64_t>(e), shape)), lanes[e],
                                        columns[e] < 0 ? -1 : columns[e] / packing, kTmemLanes, kTmemColumns));
    most = std::max(most, columns[e] / packing);
  }
  auto width = static_cast<size_t>((most + 1) * packing);
  std::vector<int32_t> cells(static_cast<size_t>(kTmemLanes) * width, -1);
  for (size_t e = 0; e < lanes.size(); ++e) {
    int32_t &cell = cells[static_cast<size_t>(lanes[e]) * width + static_cast<size_t>(columns[e])];
    if (cell >= 0)
      return error("map-range",
                   Message("`{name}` puts the elements {coordinates} and {} in one place, lane {lane}, column {column}",
                           name, tupleText(unravelIndex(cell, shape)),
                           tupleText(unravelIndex(static_cast<int64_t>(e), shape)), lanes[e], columns[e] / packing));
    cell = static_cast<int32_t>(e);
  }
  return TmemMap::fromTable(toLayout(*this), shape, bitwidth, static_cast<int>(most + 1), packing, cells);
}

} // namespace lanescope::layouts::cute
