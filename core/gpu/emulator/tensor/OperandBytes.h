// Reads the packed rows of an operand in shared memory.
//
//   readRows(matrix, shared, {.rows = 64, .rowBytes = 32, .elementBytes = 2}, 0, out)   // 64 rows of 32 bytes of K
#pragma once

#include "core/gpu/emulator/tensor/SharedMatrix.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

/// The shared memory of a CTA. It begins at shared address `base`.
struct SharedBytes {
  std::span<const std::byte> bytes{};
  uint32_t base = 0;
};

/// `rows` rows of A, or columns of B, with `rowBytes` of K each. `elementBytes` matters only if lines run along M or N.
struct OperandExtent {
  uint32_t rows = 0, rowBytes = 32, elementBytes = 2;

  /// The bytes of the extent along a line, as SharedMatrix counts them.
  uint32_t along(bool mnMajor) const { return mnMajor ? rows * elementBytes : rowBytes; }
  uint32_t across(bool mnMajor) const { return mnMajor ? rowBytes / elementBytes : rows; }
};

/// Reads one row after another. The extent must lie in shared memory.
void readRows(const SharedMatrix &matrix, const SharedBytes &shared, const OperandExtent &extent, uint8_t *out);
/// Appends the shared addresses of the extent's 16-byte chunks.
void chunksOf(const SharedMatrix &matrix, const OperandExtent &extent, std::vector<uint32_t> &out);

} // namespace lanescope::core::emulator
