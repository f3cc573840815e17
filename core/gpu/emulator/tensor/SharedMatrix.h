// An operand of wgmma in shared memory, by its descriptor:
//
//   SharedMatrix b(descriptor, transposed);
//   b.address(mn, byte)   // of a 16-byte chunk: row/column mn, byte offset along K (or mn counted in bytes, and k)
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

/// A shared-memory matrix descriptor (PTX ISA 9.7.15.5.1, "Matrix Descriptor Format"; the canonical layouts are in
/// CUTLASS, include/cute/arch/mma_sm90_desc.hpp) and where its 16-byte chunks lie.
///
/// Tiles are 8 lines of `swizzle` bytes (16 without one); a line runs along K, or along M/N when transposed. Tiles
/// repeat along the line's direction by the leading offset and across it by the stride offset, the other way round
/// without a swizzle and with lines along M/N.
struct SharedMatrix {
  uint32_t start = 0, leading = 0, stride = 0, swizzle = 0, base = 0;
  uint32_t lineShift = 4; // of lineBytes()
  bool mnMajor = false;

  SharedMatrix(uint64_t bits, bool transposed);
  uint32_t lineBytes() const { return 1u << lineShift; }
  /// Before swizzling, as a shared address; `along`: bytes along a line, `across`: lines.
  uint32_t linear(uint32_t along, uint32_t across) const {
    bool swapped = mnMajor && !swizzle;
    uint32_t inLine = along & (lineBytes() - 1);
    return start + (along >> lineShift) * (swapped ? stride : leading) + across / 8 * (swapped ? leading : stride) +
           (across % 8 << lineShift) + inLine;
  }
  uint32_t address(uint32_t along, uint32_t across) const {
    uint32_t at = linear(along, across);
    return swizzle ? at ^ (((at >> 7) - base) & (swizzle / 16 - 1)) << 4 : at;
  }
};

} // namespace lanescope::core::emulator
