// Element types of the matrix instructions (wgmma, mma.sync, tcgen05.mma) and how their elements lie in 32-bit
// registers and in shared memory: packed, the first element in the lowest bits.
//
//   MatrixType::E4M3: four to a register; widen(E4M3, bytes, 4, floats) gives their values
//
// All float types here but f64 fit in binary32 exactly; tf32 operands lose their 13 lowest bits first, as the hardware
// ignores them (PTX ISA, "Alternate floating-point data formats").
#pragma once

#include "layouts/fragments/MatrixType.h"

#include <array>
#include <cstdint>

namespace lanescope::core::emulator {

using layouts::MatrixType;

/// How decoded instructions keep the type of a multiplicand.
constexpr unsigned kMatrixTypeBits = 4;
static_assert(static_cast<unsigned>(MatrixType::B1) < 1u << kMatrixTypeBits, "multiplicands come first");

/// The values of a float type of up to 8 bits by its code, whatever is above the code's bits.
const std::array<float, 256> &valuesByCode(MatrixType type);

/// The first `count` packed elements; f64, b1 and floats of less than 8 bits have no values of this kind.
void widen(MatrixType type, const uint8_t *bytes, uint32_t count, float *out);
void widen(MatrixType type, const uint8_t *bytes, uint32_t count, int32_t *out);

} // namespace lanescope::core::emulator
