// Products of 16-bit numbers for the sums of a tile (TensorSum.h), computed with the processor's instruction for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

/// Pairs of rows of a tile. For each pair of k, the numbers of one row are repeated 8 times, and then those of the next
/// row 8 times. `stride`: the distance between two pairs of rows, in numbers.
struct WholeRows {
  const int16_t *numbers = nullptr;
  size_t stride = 0;
};

/// sums (8 rows of 8) += rows times 8 columns, over `count` pairs of k. `columns`: for each pair of k, both numbers of
/// each column. The sums must fit into 32 bits.
void addWholeProducts(const WholeRows &rows, const int16_t *columns, uint32_t count, int32_t *sums);

} // namespace lanescope::core::emulator
