// An operand of wgmma, tcgen05.mma or tcgen05.cp in shared memory, by its descriptor:
//
//   SharedMatrix b(descriptor, transposed);
//   b.address(mn, byte)   // of a 16-byte chunk: row/column mn and byte offset along K (or mn in bytes, and k)
#pragma once

#include "layouts/fragments/MatrixDescriptor.h"

#include <cstdint>
#include <string>

namespace lanescope::core::emulator {

/// A shared-memory matrix descriptor, and the places of its 16-byte chunks. PTX ISA: "Matrix Descriptor Format" of
/// wgmma, "Shared memory descriptor" of tcgen05. "Canonical Layouts" are also in CUTLASS,
/// include/cute/arch/mma_sm90_desc.hpp and mma_sm100_desc.hpp.
///
/// A tile has 8 lines of `swizzle` bytes (16 bytes without a swizzle). A line runs along K, or along M/N if transposed.
/// Tiles repeat by the leading offset in the direction of the lines, and by the stride offset across it. Without a
/// swizzle, and with lines along M/N, the two offsets are exchanged. With 32-byte atoms (tcgen05), a tile has 4 lines.
struct SharedMatrix {
  uint32_t start = 0, leading = 0, stride = 0, swizzle = 0, base = 0;
  uint32_t lineShift = 4; // log2 of lineBytes()
  bool mnMajor = false;
  bool wideAtoms = false;        // the swizzle moves 32 bytes at a time, not 16
  bool leadingIsAddress = false; // `leading` is the address of the part beyond the 128-byte line

  /// Reads a descriptor of wgmma.
  SharedMatrix(uint64_t bits, bool transposed);
  /// Reads a descriptor of tcgen05.
  SharedMatrix(const layouts::MatrixDescriptor &descriptor, bool transposed);

  bool operator==(const SharedMatrix &) const = default;
  uint32_t lineBytes() const { return 1u << lineShift; }
  /// The shared address before swizzling. `along`: bytes along a line. `across`: number of the line.
  uint32_t linear(uint32_t along, uint32_t across) const {
    uint32_t groupShift = wideAtoms ? 2 : 3, inGroup = across & ((1u << groupShift) - 1), group = across >> groupShift;
    if (leadingIsAddress) {
      uint32_t inLine = (start & (lineBytes() - 1)) + along, lines = group * stride + (inGroup << lineShift);
      return inLine < lineBytes() ? start + along + lines : leading + (inLine - lineBytes()) + lines;
    }
    bool swapped = mnMajor && !swizzle;
    uint32_t inLine = along & (lineBytes() - 1);
    return start + (along >> lineShift) * (swapped ? stride : leading) + group * (swapped ? leading : stride) +
           (inGroup << lineShift) + inLine;
  }
  uint32_t address(uint32_t along, uint32_t across) const {
    uint32_t at = linear(along, across);
    if (wideAtoms)
      return at ^ (((at >> 7) - base) & 3) << 5;
    return swizzle ? at ^ (((at >> 7) - base) & (swizzle / 16 - 1)) << 4 : at;
  }

  /// Describes what is wrong if this descriptor is used for `across` lines of `along` bytes, in shared memory of
  /// `sharedBytes` from `sharedBase` on. The text continues "the descriptor …". It is empty if the descriptor is right.
  std::string problem(uint32_t along, uint32_t across, uint32_t sharedBase, uint32_t sharedBytes) const;
};

} // namespace lanescope::core::emulator
