// The descriptor of an operand of tcgen05.mma or tcgen05.cp in shared memory: 64 bits (PTX ISA, "Shared memory
// descriptor"). Where the operand's elements lie by it: "Canonical Layouts", tensor/SharedMatrix.h of the emulator.
//
//   encode(MatrixDescriptor{.start = 1024, .stride = 1024, .swizzle = 128})  ->  0x4000'4040'0000'0040
//   decode(0x4000'4040'0000'0040)->swizzle                                   ->  128
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace lanescope::layouts {

struct MatrixDescriptor {
  uint32_t start = 0;   // shared address; all of these in bytes, multiples of 16 below 2^18
  uint32_t leading = 0; // between tiles along the lines; or, of K = 96, the address of the second part of the lines
  uint32_t stride = 0;  // between groups of 8 lines
  bool leadingIsAddress = false; // sm_103a
  int base = 0;                  // of the swizzle's pattern, in lines of 128 bytes, 0 to 7; nothing without one
  int swizzle = 16;              // bytes of a line: 16 (none), 32, 64 or 128
  bool wideAtoms = false;        // of 128 bytes: 32-byte chunks change places, not 16-byte ones
  bool version = true;           // bit 46, "fixed constant"; what was written for Hopper lacks it and works

  bool operator==(const MatrixDescriptor &) const = default;
};

/// Bits beyond the fields are cut: the lowering checks what it encodes.
uint64_t encode(const MatrixDescriptor &descriptor);
/// Errors: reserved bits, a swizzle that there is not.
std::expected<MatrixDescriptor, std::string> decode(uint64_t descriptor);

} // namespace lanescope::layouts
