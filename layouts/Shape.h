// Shapes and strides: plain lists of sizes, outermost dimension first, as in NumPy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::layouts {

using Shape = std::vector<int64_t>;

/// Product of the sizes (1 for rank 0); nullopt-free: callers check sizes before (see `checkedElementCount`).
int64_t elementCount(const Shape &shape);
/// Strides in elements of a contiguous row-major array.
Shape contiguousStrides(const Shape &shape);
/// Python's tuple text: `()`, `(8,)`, `(64, 8)`.
std::string tupleText(const Shape &shape);

} // namespace lanescope::layouts
