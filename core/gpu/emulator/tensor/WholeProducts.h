// Products of numbers of 16 bits for the sums of a tile (TensorSum.h), with the processor's own instruction for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

/// Rows of a tile two by two: for every two k, those of one row 8 times, those of the next 8 times. `stride`: numbers
/// from two rows to the next two.
struct WholeRows {
  const int16_t *numbers = nullptr;
  size_t stride = 0;
};

/// sums (8 rows of 8) += rows times 8 columns over `count` times two k; `columns`: of every two k both of each column.
/// The sums stay within 32 bits.
void addWholeProducts(const WholeRows &rows, const int16_t *columns, uint32_t count, int32_t *sums);

} // namespace lanescope::core::emulator
