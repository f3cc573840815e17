// Writes maps as CuTe layouts. A table has a layout if two things hold. It is a sum of a function of the thread and a
// function of the value (in memory: of a function for each dimension). Each function is a sum of digits times strides.
// A swizzle may have to be undone first.
#include "layouts/Digits.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

using cute::CuteLayout;
using cute::IntTuple;
using cute::Leaf;

namespace {

/// Finds the layout with these values: one mode, or several in parentheses. Nothing if there is none.
std::optional<cute::Layout> modesOf(const std::vector<int32_t> &values) {
  std::optional<DigitTable> table = digitTableOf(values);
  if (!table || table->base != 0)
    return std::nullopt;
  cute::Layout out{IntTuple::of({}), IntTuple::of({})};
  for (const Digit &digit : table->digits) {
    out.shape.items.emplace_back(digit.size, true);
    out.stride.items.emplace_back(digit.element, true);
  }
  if (out.shape.items.empty())
    return cute::Layout{IntTuple(1, true), IntTuple(0, true)};
  return cute::Layout{cute::unwrap(std::move(out.shape)), cute::unwrap(std::move(out.stride))};
}

std::unexpected<Diagnostics> notCute(std::string_view why) {
  return error("notation-lossy", Message("this map is no CuTe layout: {}", why));
}

int64_t columnMajor(int64_t element, const Shape &shape) {
  Shape index = unravelIndex(element, shape);
  int64_t out = 0, weight = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    out += index[d] * weight;
    weight *= shape[d];
  }
  return out;
}

Result<CuteLayout> finished(cute::Parts parts) {
  if (parts.plain) {
    Result<cute::Layout> checked = cute::Layout::make(parts.plain->shape, parts.plain->stride);
    if (!checked)
      return std::unexpected(std::move(checked.error()));
  }
  return CuteLayout::make(std::move(parts));
}

Result<CuteLayout> ofRegisters(const ElementMap &map) {
  const Shape &shape = map.shape();
  auto threads = static_cast<size_t>(map.threads()), values = static_cast<size_t>(map.values());
  if (values == 0)
    return notCute("its threads hold nothing");
  std::vector<int32_t> index(map.elements().size()); // column-major
  for (size_t slot = 0; slot < index.size(); ++slot) {
    if (map.elements()[slot] < 0)
      return notCute(text("value ", slot % values, " of thread ", slot / values,
                          " holds nothing, but a layout gives every thread and value an element"));
    index[slot] = static_cast<int32_t>(columnMajor(map.elements()[slot], shape));
  }
  if (index[0] != 0)
    return notCute(text("value 0 of thread 0 is element ", tupleText(unravelIndex(map.elements()[0], shape)),
                        ", but a (thread, value) layout starts at the array's first element"));
  std::vector<int32_t> perThread(threads), perValue(index.begin(), index.begin() + static_cast<int64_t>(values));
  for (size_t t = 0; t < threads; ++t)
    perThread[t] = index[t * values];
  for (size_t t = 0; t < threads; ++t)
    for (size_t v = 0; v < values; ++v)
      if (index[t * values + v] != perThread[t] + perValue[v])
        return notCute(text("value ", v, " of thread ", t, " is element ",
                            tupleText(unravelIndex(map.elements()[t * values + v], shape)), " (column-major index ",
                            index[t * values + v], "), where thread ", t, "'s first value plus thread 0's value ", v,
                            " would give ", perThread[t] + perValue[v]));
  std::optional<cute::Layout> threadMode = modesOf(perThread), valueMode = modesOf(perValue);
  if (!threadMode || !valueMode)
    return notCute(text("the elements of ", threadMode ? "thread 0's values" : "the threads' first values",
                        " are no sum of digits times strides"));
  return finished({.plain = cute::makeLayout({*threadMode, *valueMode}),
                   .operand = cute::Operand{"TiledLayout_TV", shape, std::nullopt}});
}

/// Undoes the swizzle of the offsets and returns them as shape:stride, with one mode per dimension. Stops at the first
/// element that does not fit, so that trying many swizzles is cheap.
Result<cute::Layout> ofOffsets(std::span<const int32_t> places, const Shape &shape, const cute::Swizzle &swizzle) {
  if (places.empty())
    return notCute("it has no elements");
  auto offset = [&](size_t element) { return static_cast<int32_t>(swizzle.apply(places[element])); };
  std::vector<cute::Layout> modes;
  std::vector<std::vector<int32_t>> tables;
  Shape strides = contiguousStrides(shape);
  if (offset(0) != 0)
    return notCute(text("the first element lies at offset ", offset(0), ", not at 0"));
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int32_t> table(static_cast<size_t>(shape[d]));
    for (int64_t i = 0; i < shape[d]; ++i)
      table[static_cast<size_t>(i)] = offset(static_cast<size_t>(i * strides[d]));
    tables.push_back(std::move(table));
  }
  Shape index(shape.size(), 0);
  for (size_t e = 0; e < places.size(); ++e) {
    int64_t sum = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      sum += tables[d][static_cast<size_t>(index[d])];
    if (sum != offset(e))
      return notCute(text("element ", tupleText(index), " lies at offset ", offset(e),
                          ", where the offsets of its coordinates add up to ", sum));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    std::optional<cute::Layout> mode = modesOf(tables[d]);
    if (!mode)
      return notCute(text("the offsets along dimension ", d, " are no sum of digits times strides"));
    modes.push_back(*std::move(mode));
  }
  return modes.size() == 1 ? modes[0] : cute::makeLayout(modes);
}

Result<CuteLayout> ofAddresses(const AddressMap &map) {
  Result<cute::Layout> plain = ofOffsets(map.offsets(), map.shape(), {});
  if (plain)
    return finished({.plain = *std::move(plain)});
  // A swizzle is its own inverse: applied again, it makes the offsets of a swizzled layout plain. Swizzles of few bits
  // are tried first.
  int width = 1;
  while ((int64_t(1) << width) < map.extent())
    ++width;
  constexpr int kMostBits = 6;
  for (int bits = 1; bits <= std::min(kMostBits, width / 2); ++bits)
    for (int shift = bits; shift + bits <= width; ++shift)
      for (int base = 0; base + shift + bits <= width; ++base)
        for (int sign : {1, -1}) {
          cute::Swizzle swizzle{bits, base, sign * shift};
          if (Result<cute::Layout> layout = ofOffsets(map.offsets(), map.shape(), swizzle))
            return finished({.outer = swizzle, .offset = IntTuple(0, true), .plain = *std::move(layout)});
        }
  Diagnostics why = std::move(plain.error());
  why[0].message += "; and no swizzle makes it one";
  return std::unexpected(std::move(why));
}

Result<CuteLayout> ofTmem(const TmemMap &map) {
  auto count = static_cast<size_t>(elementCount(map.shape()));
  std::vector<int64_t> place(count, -1);
  auto width = static_cast<size_t>(map.columns()) * static_cast<size_t>(map.packing());
  int64_t perLane = int64_t(map.packing()) << 16;
  for (size_t cell = 0; cell < map.elements().size(); ++cell) {
    int32_t element = map.elements()[cell];
    if (element < 0)
      continue;
    int64_t at = static_cast<int64_t>(cell / width) * perLane + static_cast<int64_t>(cell % width);
    if (place[static_cast<size_t>(element)] >= 0)
      return notCute(text("element ", tupleText(unravelIndex(element, map.shape())), " is in lane ",
                          place[static_cast<size_t>(element)] / perLane, " and in lane ", cell / width,
                          ", but a tensor's element has one place"));
    place[static_cast<size_t>(element)] = at;
  }
  std::vector<int32_t> offsets(count);
  for (size_t e = 0; e < count; ++e) {
    if (place[e] < 0)
      return notCute(text("element ", tupleText(unravelIndex(static_cast<int64_t>(e), map.shape())), " is nowhere"));
    offsets[e] = static_cast<int32_t>(place[e]);
  }
  Result<cute::Layout> plain = ofOffsets(offsets, map.shape(), {});
  if (!plain)
    return std::unexpected(std::move(plain.error()));
  return finished({.engine = cute::Engine{cute::Engine::Kind::Tmem, map.bitwidth(), 0}, .plain = *std::move(plain)});
}

} // namespace

Result<CuteLayout> toCute(const Placement &placement) {
  if (const auto *registers = std::get_if<ElementMap>(&placement))
    return ofRegisters(*registers);
  if (const auto *tmem = std::get_if<TmemMap>(&placement))
    return ofTmem(*tmem);
  return ofAddresses(std::get<AddressMap>(placement));
}

} // namespace lanescope::layouts
