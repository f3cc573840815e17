// Element types of the matrix instructions (wgmma, mma.sync) and how their elements lie in 32-bit registers and in
// shared memory: packed, the first element in the lowest bits.
//
//   MatrixType::E4M3: four to a register; widen(E4M3, bytes, 4, floats) gives their values
//
// All float types here but f64 fit in binary32 exactly; tf32 operands lose their 13 lowest bits first, as the hardware
// ignores them (PTX ISA, "Alternate floating-point data formats").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope::core::emulator {

enum class MatrixType : uint8_t { F16, BF16, TF32, E4M3, E5M2, F64, S8, U8, S4, U4, B1 };

/// By PTX's name without the dot: "e4m3".
std::optional<MatrixType> matrixTypeNamed(std::string_view name);
uint32_t bitsOf(MatrixType type);
inline bool isInteger(MatrixType type) { return type >= MatrixType::S8; }

/// The first `count` packed elements; f64 and b1 have no values of this kind.
void widen(MatrixType type, const uint8_t *bytes, uint32_t count, float *out);
void widen(MatrixType type, const uint8_t *bytes, uint32_t count, int32_t *out);

} // namespace lanescope::core::emulator
