#include "layouts/Digits.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

/// True if table[i + distance] == table[i] + step for `n` entries.
bool isShifted(const int32_t *table, size_t n, size_t distance, uint32_t step) {
  uint32_t different = 0;
  for (size_t i = 0; i < n; ++i)
    different |= static_cast<uint32_t>(table[i + distance]) ^ (static_cast<uint32_t>(table[i]) + step);
  return different == 0;
}

/// True if the table is the outer sum of the digits, minor first and without gaps. Compares every entry.
bool isOuterSum(std::span<const int32_t> table, const std::vector<Digit> &digits) {
  return std::ranges::all_of(digits, [&](const Digit &digit) {
    return isShifted(table.data(), static_cast<size_t>((digit.size - 1) * digit.slot), static_cast<size_t>(digit.slot),
                     static_cast<uint32_t>(digit.element));
  });
}

std::optional<std::vector<Digit>> fromZero(std::optional<DigitTable> table) {
  if (!table || table->base != 0)
    return std::nullopt;
  return std::move(table->digits);
}

} // namespace

std::optional<DigitTable> digitTableOf(std::span<const int32_t> table) {
  if (table.empty() || table[0] < 0)
    return std::nullopt;
  DigitTable out{table[0], {}};
  auto count = static_cast<int64_t>(table.size());
  for (int64_t weight = 1; weight < count;) {
    // This digit is the longest run of equal steps. The next digit either breaks the run at once or continues it to the
    // run's end.
    int64_t step = int64_t(table[static_cast<size_t>(weight)]) - out.base, size = 2;
    while (size * weight < count && table[static_cast<size_t>(size * weight)] == out.base + size * step)
      ++size;
    if (count % (size * weight) != 0)
      return std::nullopt;
    out.digits.push_back({size, step, weight});
    weight *= size;
  }
  if (!isOuterSum(table, out.digits))
    return std::nullopt;
  return out;
}

std::optional<std::vector<Digit>> digitsOf(const ElementMap &map) { return fromZero(digitTableOf(map.elements())); }
std::optional<std::vector<Digit>> digitsOf(const TmemMap &map) { return fromZero(digitTableOf(map.elements())); }

namespace {

/// Cuts every digit at the borders inside it, on either side. Nothing if a digit straddles a border.
std::optional<std::vector<Digit>> cutAll(const std::vector<Digit> &digits, std::span<const int64_t> elementCuts,
                                         std::span<const int64_t> slotCuts) {
  std::vector<Digit> pieces;
  std::vector<Digit> left(digits.rbegin(), digits.rend());
  while (!left.empty()) {
    Digit digit = left.back();
    left.pop_back();
    if (digit.element < 0 || digit.slot < 0)
      return std::nullopt;
    int64_t inner = digit.size;
    auto cutAt = [&](int64_t border, int64_t weight) {
      if (weight == 0 || border <= weight || border >= weight * digit.size)
        return true;
      if (border % weight != 0 || digit.size % (border / weight) != 0)
        return false;
      inner = std::min(inner, border / weight);
      return true;
    };
    for (int64_t border : slotCuts)
      if (!cutAt(border, digit.slot))
        return std::nullopt;
    for (int64_t border : elementCuts)
      if (!cutAt(border, digit.element))
        return std::nullopt;
    if (inner == digit.size) {
      if (digit.size > 1)
        pieces.push_back(digit);
      continue;
    }
    left.push_back({digit.size / inner, digit.element * inner, digit.slot * inner});
    left.push_back({inner, digit.element, digit.slot});
  }
  return pieces;
}

/// Assigns a digit to the dimension that its element weight belongs to.
std::optional<DimDigit> inDimension(const Digit &digit, const Shape &shape, const Shape &strides) {
  if (digit.element == 0)
    return DimDigit{digit.size, -1, 0, digit.slot};
  size_t dim = 0;
  while (dim < shape.size() && (strides[dim] > digit.element || shape[dim] == 1))
    ++dim;
  if (dim == shape.size() || digit.element % strides[dim] != 0)
    return std::nullopt;
  return DimDigit{digit.size, static_cast<int>(dim), digit.element / strides[dim], digit.slot};
}

/// True if the digits of each dimension cover its whole range.
bool coverShape(const std::vector<DimDigit> &digits, const Shape &shape) {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::vector<DimDigit> own;
    for (const DimDigit &digit : digits)
      if (digit.dim == static_cast<int>(dim))
        own.push_back(digit);
    std::ranges::sort(own, {}, &DimDigit::unit);
    int64_t unit = 1;
    for (const DimDigit &digit : own) {
      if (digit.unit != unit)
        return false;
      unit *= digit.size;
    }
    if (unit != shape[dim])
      return false;
  }
  return true;
}

std::optional<std::vector<DimDigit>> dimDigits(const std::vector<Digit> &digits, const Shape &shape,
                                               std::span<const int64_t> slotCuts) {
  Shape strides = contiguousStrides(shape);
  std::optional<std::vector<Digit>> pieces = cutAll(digits, strides, slotCuts);
  if (!pieces)
    return std::nullopt;
  std::vector<DimDigit> out;
  for (const Digit &piece : *pieces) {
    std::optional<DimDigit> digit = inDimension(piece, shape, strides);
    if (!digit)
      return std::nullopt;
    out.push_back(*digit);
  }
  if (!coverShape(out, shape))
    return std::nullopt;
  return out;
}

/// The distances of an element's places from its first, as digits.
std::optional<std::vector<Digit>> copiesOf(const std::vector<int32_t> &distances) {
  std::optional<DigitTable> table = digitTableOf(distances);
  if (!table)
    return std::nullopt;
  std::vector<Digit> out;
  for (const Digit &digit : table->digits)
    out.push_back({digit.size, 0, digit.element});
  return out;
}

template <typename PlacesOf> std::optional<PlaceDigits> placeDigits(int64_t count, PlacesOf &&placesOf) {
  if (count <= 0)
    return std::nullopt;
  std::vector<int32_t> first(static_cast<size_t>(count)), distances, places;
  for (int64_t element = 0; element < count; ++element) {
    placesOf(element, places);
    if (places.empty())
      return std::nullopt;
    first[static_cast<size_t>(element)] = places[0];
    for (int32_t &place : places)
      place -= first[static_cast<size_t>(element)];
    if (element == 0)
      distances = places;
    else if (places != distances)
      return std::nullopt;
  }
  std::optional<DigitTable> table = digitTableOf(first);
  std::optional<std::vector<Digit>> copies = copiesOf(distances);
  if (!table || !copies)
    return std::nullopt;
  PlaceDigits out{table->base, {}, *std::move(copies)};
  for (const Digit &digit : table->digits)
    out.digits.push_back({digit.size, digit.slot, digit.element});
  return out;
}

} // namespace

std::optional<std::vector<DimDigit>> splitDigits(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts) {
  std::optional<std::vector<DimDigit>> out = dimDigits(digits, shape, slotCuts);
  if (out)
    std::ranges::sort(*out, {}, &DimDigit::slot);
  return out;
}

std::optional<std::vector<DimDigit>> splitPlaces(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts) {
  return dimDigits(digits, shape, slotCuts);
}

std::optional<PlaceDigits> placeDigitsOf(const ElementMap &map) {
  return placeDigits(elementCount(map.shape()), [&](int64_t element, std::vector<int32_t> &out) {
    std::span<const int32_t> slots = map.slots(element);
    out.assign(slots.begin(), slots.end());
  });
}

std::optional<PlaceDigits> placeDigitsOf(const TmemMap &map) {
  return placeDigits(elementCount(map.shape()), [&](int64_t element, std::vector<int32_t> &out) {
    out.clear();
    for (const TmemCell &cell : map.cells(element))
      out.push_back((cell.lane * map.columns() + cell.column) * map.packing() + cell.sub);
  });
}

} // namespace lanescope::layouts
