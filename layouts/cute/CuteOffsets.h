// Computes the offsets for a CuteLayout's maps. Private to cute/.
#pragma once

#include "layouts/cute/CuteLayout.h"

#include <string>
#include <vector>

namespace lanescope::layouts::cute {

/// out[row-major index] = the sum of the tables' entries at its coordinates.
template <typename Int> std::vector<Int> outerSum(const std::vector<std::vector<int64_t>> &tables, size_t count) {
  std::vector<Int> out(count);
  size_t filled = 1;
  for (size_t dim = tables.size(); dim-- > 0;) {
    const std::vector<int64_t> &table = tables[dim];
    /// The first block is the source of the others, so its own term is added last.
    for (size_t i = table.size(); i-- > 0;) {
      Int term = static_cast<Int>(table[i]);
      for (size_t k = 0; k < filled; ++k)
        out[i * filled + k] = out[k] + term;
    }
    filled *= table.size();
  }
  return out;
}

/// The `size` values 0, weight, 2*weight, ….
std::vector<int64_t> multiples(int64_t size, int64_t weight);
/// Errors: no elements, or more than a map may have.
Result<int64_t> boundedCount(const Shape &shape);
/// The offsets of a plain integer layout, one per row-major element of the array; `name` is for messages. Error:
/// another number of elements.
Result<std::vector<int64_t>> plainOffsets(const Layout &layout, const Shape &shape, const std::string &name);
/// The offsets of elements of `bits` bits, with the outer layout or swizzle applied.
Result<std::vector<int64_t>> offsetsOf(const CuteLayout &layout, const Shape &shape, int bits);
/// Error: the layout's pointer has elements of another width.
Result<void> checkBits(const CuteLayout &layout, int bits);

} // namespace lanescope::layouts::cute
