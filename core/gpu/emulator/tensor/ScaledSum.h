// Sums of Blackwell's 4-bit floats with block scales (kind::mxf4, kind::mxf4nvf4).
//
// The products of sixteen elements are added exactly. Each such sum is multiplied by the significands of its two
// scales. The resulting terms and the accumulator are added as fixed-point numbers. Let E be the largest exponent of
// the terms. The exponent of a term is that of its scales alone. Each term is truncated towards zero to a multiple of
// 2^(E - 35), and the sum is truncated towards zero to f32. Zero is +0, and NaN is canonical. The model is that of Xie
// et al., "MMA-Sim" (arXiv 2511.10909). It has not been compared with the hardware.
//
//   ScaledTerm term{.dot = 36, .scaleA = ScaleFactor::of(MatrixType::UE8M0, 127), .scaleB = …};   // 36 quarters
//   scaledSum({&term, 1}, 0.5f)                                                                   ->  9.5
#pragma once

#include "core/gpu/emulator/tensor/MatrixTypes.h"

#include <span>

namespace lanescope::core::emulator {

/// significand * 2^(exponent - 3). The scale is a ue4m3 without its sign bit, or a ue8m0, whose significand is 8.
struct ScaleFactor {
  int16_t exponent = -126;
  uint8_t significand = 0;
  bool nan = false;

  static ScaleFactor of(MatrixType type, uint8_t code);
};

struct ScaledTerm {
  int32_t dot = 0; // the sum of products, in quarters
  ScaleFactor scaleA, scaleB;
};

/// Adds at most eight terms.
float scaledSum(std::span<const ScaledTerm> terms, float old);

} // namespace lanescope::core::emulator
