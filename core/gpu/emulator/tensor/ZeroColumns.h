// The zero-column mask descriptor of tcgen05.mma.ws (PTX ISA, "Zero-Column Mask Descriptor"). It specifies which
// columns of B count as zero, and by how many columns B is shifted.
//
//   ZeroColumns z(0x00'03'02'80'00'00'00'00);   // the ISA's second example: use 4, skip 3, …, beginning with a use
//   z.isZero(3, 128, 64)  ->  false
//   z.isZero(4, 128, 64)  ->  true
#pragma once

#include <cstdint>
#include <string>

namespace lanescope::core::emulator {

struct ZeroColumns {
  bool some = false;            // false: no column is zero
  uint8_t starts[4] = {};       // for each part of the mask: how many columns of the first span it leaves out
  bool zeroFirst[4] = {};       // for each part of the mask: the first span is zeros
  uint32_t zeros = 1, ones = 1; // columns of a span of zeros, and of a span in use
  uint32_t shift = 0;

  explicit ZeroColumns(uint64_t descriptor);
  /// True if column n of N counts as zero. The mask has one part if M = 128, two if M = 64, and four if M = 32.
  bool isZero(uint32_t n, uint32_t m, uint32_t columns) const;
  /// Describes what is wrong with the descriptor. Empty if it is right.
  static std::string problem(uint64_t descriptor, uint32_t m);
};

} // namespace lanescope::core::emulator
