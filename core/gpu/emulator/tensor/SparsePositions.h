// Which elements of K a sparse A stores (PTX ISA, "Sparse matrix storage"): metadata to positions.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

struct SparseRow {
  uint32_t stored = 0;    // elements that a row stores: half of K
  uint32_t fieldBits = 2; // of an index of the metadata: 4 of 32-bit elements
  uint32_t wide = 1;      // elements that an index is about: 2 of 4-bit elements

  uint32_t fields() const { return stored / wide; }
};

/// K of each stored element of a row. False where the indices have no meaning: two equal ones, descending ones where
/// `ordered` is asked for, and 4-bit ones other than 0100 and 1110.
bool sparsePositions(const SparseRow &row, const uint8_t *fields, bool ordered, uint8_t *out);

} // namespace lanescope::core::emulator
