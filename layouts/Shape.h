// Shapes and strides: plain lists of sizes, outermost dimension first, as in NumPy.
//
//   contiguousStrides({2, 3, 4})  ->  {12, 4, 1}
//   tupleText({8})                ->  "(8,)"
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanescope::layouts {

using Shape = std::vector<int64_t>;

/// The product of the sizes (1 for rank 0), for shapes that were checked. An overflow saturates at the largest int64.
int64_t elementCount(const Shape &shape);
/// Counts the elements of a shape that a user typed. Errors: a negative size, a count that does not fit 63 bits.
Result<int64_t> checkedElementCount(const Shape &shape);
/// The strides, in elements, of a contiguous row-major array. They saturate like elementCount.
Shape contiguousStrides(const Shape &shape);
/// Row-major index -> coordinates; `index` must be in [0, elementCount(shape)).
Shape unravelIndex(int64_t index, const Shape &shape);
/// Coordinates -> row-major index.
int64_t ravelIndex(std::span<const int64_t> coordinates, const Shape &shape);
/// Python's tuple text: `()`, `(8,)`, `(64, 8)`.
std::string tupleText(const Shape &shape);
/// Python's list text: `[]`, `[64, 8]`.
std::string listText(const Shape &values);

/// a * b, or the largest int64 if the product does not fit. For non-negative numbers.
int64_t saturatingMultiply(int64_t a, int64_t b);

} // namespace lanescope::layouts
