#include "core/gpu/emulator/tensor/OperandBytes.h"

#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kChunkBytes = 16;

/// Reads an operand whose lines run along M or N: the elements for one k after another.
template <class Element>
void readAlongRows(const SharedMatrix &matrix, const SharedBytes &shared, const OperandExtent &extent, uint8_t *out) {
  constexpr uint32_t kPerChunk = kChunkBytes / sizeof(Element);
  const std::byte *from = shared.bytes.data();
  for (uint32_t k = 0; k < extent.rowBytes / sizeof(Element); ++k)
    for (uint32_t row = 0; row < extent.rows; row += kPerChunk) {
      Element chunk[kPerChunk];
      std::memcpy(chunk, from + (matrix.address(row * sizeof(Element), k) - shared.base), kChunkBytes);
      uint8_t *to = out + row * extent.rowBytes + k * sizeof(Element);
      for (uint32_t n = 0; n < kPerChunk; ++n)
        std::memcpy(to + n * extent.rowBytes, chunk + n, sizeof(Element));
    }
}

} // namespace

void readRows(const SharedMatrix &matrix, const SharedBytes &shared, const OperandExtent &extent, uint8_t *out) {
  if (matrix.mnMajor) {
    if (extent.elementBytes == 1)
      return readAlongRows<uint8_t>(matrix, shared, extent, out);
    if (extent.elementBytes == 2)
      return readAlongRows<uint16_t>(matrix, shared, extent, out);
    return readAlongRows<uint32_t>(matrix, shared, extent, out);
  }
  const std::byte *from = shared.bytes.data();
  for (uint32_t row = 0; row < extent.rows; ++row)
    for (uint32_t byte = 0; byte < extent.rowBytes; byte += kChunkBytes, out += kChunkBytes)
      std::memcpy(out, from + (matrix.address(byte, row) - shared.base), kChunkBytes);
}

void chunksOf(const SharedMatrix &matrix, const OperandExtent &extent, std::vector<uint32_t> &out) {
  uint32_t along = extent.along(matrix.mnMajor), across = extent.across(matrix.mnMajor);
  out.reserve(out.size() + along / kChunkBytes * across);
  for (uint32_t line = 0; line < across; ++line)
    for (uint32_t byte = 0; byte < along; byte += kChunkBytes)
      out.push_back(matrix.address(byte, line));
}

} // namespace lanescope::core::emulator
