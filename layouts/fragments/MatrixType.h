// The element types of matrix instructions: those of multiplicands, accumulators and block scales.
//
//   ptxName(MatrixType::E4M3)          ->  "e4m3"
//   matrixTypeNamed("s8")              ->  MatrixType::S8
//   multiplicandType(Dtype::F32)       ->  MatrixType::TF32, as the tensor cores read it
//
// Not here: the places of elements in registers and memory (OperandFormulas.h, the emulator).
#pragma once

#include "layouts/Dtype.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lanescope::layouts {

/// The types of multiplicands come first.
enum class MatrixType : uint8_t {
  F16,
  BF16,
  TF32,
  F64,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1,
  S8,
  U8,
  S4,
  U4,
  B1,
  F32,
  S32,
  UE8M0,
  UE4M3,
};

std::span<const MatrixType> allMatrixTypes();
/// PTX's name without the dot: "e4m3".
std::string_view ptxName(MatrixType type);
std::optional<MatrixType> matrixTypeNamed(std::string_view ptxName);
/// The bits of a value; a container may be wider.
int bitsOf(MatrixType type);
bool isInteger(MatrixType type); // true for b1 too

/// The type of host arrays for a multiplicand (an accumulator, a scale) of this type; nullopt for b1.
std::optional<Dtype> dtypeOf(MatrixType type);
/// The type as which the tensor cores multiply elements: tf32 for f32, the same type for the others. nullopt if they
/// cannot be multiplied.
std::optional<MatrixType> multiplicandType(Dtype dtype);
std::optional<MatrixType> accumulatorType(Dtype dtype);

} // namespace lanescope::layouts
