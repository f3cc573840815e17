// Products of 16-bit numbers for the sums of a tile (TensorSum.h), by the processor's own instruction for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

/// Pairs of rows of a tile: for each pair of k, the numbers of one row 8 times, then those of the next 8 times.
/// `stride`: the numbers from one pair of rows to the next.
struct WholeRows {
  const int16_t *numbers = nullptr;
  size_t stride = 0;
};

/// sums (8 rows of 8) += rows times 8 columns over `count` pairs of k. `columns`: for each pair of k, both numbers of
/// each column. The sums must stay within 32 bits.
void addWholeProducts(const WholeRows &rows, const int16_t *columns, uint32_t count, int32_t *sums);

} // namespace lanescope::core::emulator
