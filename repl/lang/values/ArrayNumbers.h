// Accesses many elements of an array at a time, for loops over whole arrays: the dtype is examined once, not for each
// element.
//
//   forNumbers<2>({&a, &b}, [&](int64_t first, std::array<std::span<const double>, 2> numbers) { …; return true; });
//
// Each number equals the result of Array::number.
#pragma once

#include "core/data/Array.h"

#include <algorithm>
#include <array>
#include <span>

namespace lanescope::repl {

/// Reads elements from `first` on until `out` is full. The array must have as many elements.
void readNumbers(const core::Array &array, int64_t first, std::span<double> out);

/// Writes numbers that f32 can represent as elements from `first` on. They are rounded as in Array::setNumber.
void writeFloats(core::Array &array, int64_t first, std::span<const double> numbers);

/// Visits arrays of equal sizes together, a stretch of elements at a time, until `visit` returns false.
template <size_t count, typename Visit>
void forNumbers(const std::array<const core::Array *, count> &arrays, const Visit &visit) {
  constexpr int64_t kStretch = 512;
  std::array<std::array<double, kStretch>, count> store;
  for (int64_t first = 0, size = arrays[0]->size(); first < size; first += kStretch) {
    auto length = static_cast<size_t>(std::min(kStretch, size - first));
    std::array<std::span<const double>, count> numbers;
    for (size_t i = 0; i < count; ++i) {
      readNumbers(*arrays[i], first, std::span(store[i]).first(length));
      numbers[i] = std::span(store[i]).first(length);
    }
    if (!visit(first, numbers))
      return;
  }
}

} // namespace lanescope::repl
