// The 64-bit descriptor of an operand of tcgen05.mma or tcgen05.cp in shared memory (PTX ISA, "Shared memory
// descriptor"). The places of the operand's elements are not here, but in core/gpu/emulator/tensor/SharedMatrix.h (PTX
// ISA, "Canonical Layouts").
//
//   encode(MatrixDescriptor{.start = 1024, .stride = 1024, .swizzle = 128})  ->  0x4000'4040'0000'0040
//   decode(0x4000'4040'0000'0040)->swizzle                                   ->  128
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace lanescope::layouts {

struct MatrixDescriptor {
  uint32_t start = 0;   // shared address; this and the next two are in bytes, multiples of 16 below 2^18
  uint32_t leading = 0; // between tiles along the lines; for K = 96, it may be the address of the second part of the
                        // lines
  uint32_t stride = 0;  // between groups of 8 lines
  bool leadingIsAddress = false; // sm_103a only
  int base = 0;                  // start of the swizzle's pattern, in lines of 128 bytes, 0 to 7; 0 without a swizzle
  int swizzle = 16;              // bytes per line: 16 (none), 32, 64 or 128
  bool wideAtoms = false;        // with 128 bytes: 32-byte chunks are permuted instead of 16-byte chunks
  bool version = true;           // bit 46, "fixed constant"; descriptors for Hopper lack it and work

  bool operator==(const MatrixDescriptor &) const = default;
};

/// Bits beyond the fields are cut off: the lowering checks the values that it encodes.
uint64_t encode(const MatrixDescriptor &descriptor);
/// Errors: reserved bits, an unknown swizzle.
std::expected<MatrixDescriptor, std::string> decode(uint64_t descriptor);

} // namespace lanescope::layouts
