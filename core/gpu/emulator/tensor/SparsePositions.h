// The elements of K that a sparse A stores (PTX ISA, "Sparse matrix storage"): converts metadata to positions.
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

struct SparseRow {
  uint32_t stored = 0;    // the number of elements that a row stores: half of K
  uint32_t fieldBits = 2; // bits of an index in the metadata: 4 for 32-bit elements
  uint32_t wide = 1;      // elements per index: 2 for 4-bit elements

  uint32_t fields() const { return stored / wide; }
};

/// Finds the k of each stored element of a row. Returns false if the indices are invalid: if two are equal, if they
/// descend although `ordered` is set, or if 4-bit ones are not 0100 or 1110.
bool sparsePositions(const SparseRow &row, const uint8_t *fields, bool ordered, uint8_t *out);

} // namespace lanescope::core::emulator
