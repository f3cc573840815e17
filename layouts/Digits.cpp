#include "layouts/Digits.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

/// Whether the table is the outer sum of the digits, every entry compared.
bool isOuterSum(std::span<const int32_t> table, const DigitTable &digits) {
  std::vector<int64_t> count(digits.digits.size(), 0);
  int64_t entry = digits.base;
  for (size_t i = 0;; ++i) {
    if (table[i] != entry)
      return false;
    size_t d = 0;
    for (; d < count.size(); ++d) {
      const Digit &digit = digits.digits[d];
      if (++count[d] < digit.size) {
        entry += digit.element;
        break;
      }
      entry -= digit.element * (digit.size - 1);
      count[d] = 0;
    }
    if (d == count.size())
      return i + 1 == table.size();
  }
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
    // The longest run of equal steps is this digit: the next one either breaks it at once or continues it to its end.
    int64_t step = int64_t(table[static_cast<size_t>(weight)]) - out.base, size = 2;
    while (size * weight < count && table[static_cast<size_t>(size * weight)] == out.base + size * step)
      ++size;
    if (count % (size * weight) != 0)
      return std::nullopt;
    out.digits.push_back({size, step, weight});
    weight *= size;
  }
  if (!isOuterSum(table, out))
    return std::nullopt;
  return out;
}

std::optional<std::vector<Digit>> digitsOf(const ElementMap &map) { return fromZero(digitTableOf(map.elements())); }
std::optional<std::vector<Digit>> digitsOf(const TmemMap &map) { return fromZero(digitTableOf(map.elements())); }

std::optional<std::vector<DimDigit>> splitDigits(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts) {
  std::vector<Digit> pieces;
  // Cuts one digit at the first border inside it, on either side, until none is left.
  std::vector<Digit> left(digits.rbegin(), digits.rend());
  Shape strides = contiguousStrides(shape);
  while (!left.empty()) {
    Digit digit = left.back();
    left.pop_back();
    if (digit.element < 0)
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
    for (int64_t border : strides)
      if (!cutAt(border, digit.element))
        return std::nullopt;
    if (inner == digit.size) {
      pieces.push_back(digit);
      continue;
    }
    left.push_back({digit.size / inner, digit.element * inner, digit.slot * inner});
    left.push_back({inner, digit.element, digit.slot});
  }

  std::vector<DimDigit> out;
  for (const Digit &piece : pieces) {
    if (piece.size == 1)
      continue;
    if (piece.element == 0) {
      out.push_back({piece.size, -1, 0, piece.slot});
      continue;
    }
    int dim = 0;
    while (dim < static_cast<int>(shape.size()) && (strides[dim] > piece.element || shape[dim] == 1))
      ++dim;
    if (dim == static_cast<int>(shape.size()) || piece.element % strides[dim] != 0)
      return std::nullopt;
    out.push_back({piece.size, dim, piece.element / strides[dim], piece.slot});
  }
  // Each dimension is a whole number made of its digits.
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::vector<DimDigit> own;
    std::ranges::copy_if(out, std::back_inserter(own),
                         [&](const DimDigit &d) { return d.dim == static_cast<int>(dim); });
    std::ranges::sort(own, {}, &DimDigit::unit);
    int64_t unit = 1;
    for (const DimDigit &digit : own) {
      if (digit.unit != unit)
        return std::nullopt;
      unit *= digit.size;
    }
    if (unit != shape[dim])
      return std::nullopt;
  }
  std::ranges::sort(out, {}, &DimDigit::slot);
  return out;
}

} // namespace lanescope::layouts
