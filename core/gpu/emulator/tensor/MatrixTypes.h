// Element types of the matrix instructions (wgmma, mma.sync, tcgen05.mma), and how their elements are packed in 32-bit
// registers and in shared memory: the first element is in the lowest bits.
//
//   MatrixType::E4M3: four to a register; widen(E4M3, bytes, 4, floats) gives their values
//
// All float types here except f64 fit in binary32 exactly. tf32 operands first lose their 13 lowest bits, because the
// hardware ignores these bits (PTX ISA, "Alternate floating-point data formats").
#pragma once

#include "layouts/fragments/MatrixType.h"

#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

using layouts::MatrixType;

/// The number of bits in which decoded instructions store the type of a multiplicand.
constexpr unsigned kMatrixTypeBits = 4;
static_assert(static_cast<unsigned>(MatrixType::B1) < 1u << kMatrixTypeBits, "multiplicands come first");

/// The values of a float type of up to 8 bits, indexed by its code. Index bits above the code are ignored.
const std::array<float, 256> &valuesByCode(MatrixType type);

/// Writes the values of the first `count` packed elements. Does not support f64, b1 and floats of less than 8 bits.
void widen(MatrixType type, const uint8_t *bytes, uint32_t count, float *out);
void widen(MatrixType type, const uint8_t *bytes, uint32_t count, int32_t *out);

} // namespace lanescope::core::emulator
