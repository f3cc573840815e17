// Which thread or tensor-memory cell holds an array's elements, by a CuteLayout.
#include "layouts/cute/CuteOffsets.h"
#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

std::unexpected<Diagnostics> noMap(std::string why) { return error("layout-memory", std::move(why)); }

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
  return ElementMap::fromTable(toLayout(*this), shape, static_cast<int>(rows), static_cast<int>(width), 1,
                               std::move(elements));
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

} // namespace lanescope::layouts::cute
