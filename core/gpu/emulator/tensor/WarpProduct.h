// The whole matrices of a warp's product. wmma and sparse mma.sync gather their fragments into these matrices.
//
//   WarpProduct p(16, 16, 16);
//   p.a[row * p.k + k] = …; p.b[k * p.n + column] = …; p.sums[row * p.n + column] = …;
//   p.addFloats(MatrixType::F16, MatrixType::F16, half);   // sums += a * b, as the tensor cores add (TensorSum.h)
//
// Rows, columns and depth are multiples of 8 here (a depth of 4 is padded with zeros).
#pragma once

#include "core/gpu/emulator/tensor/MatrixTypes.h"

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct WarpProduct {
  uint32_t m = 0, n = 0, k = 0;
  std::vector<float> a, b, sums;      // for floats
  std::vector<int32_t> ia, ib, isums; // for integers

  WarpProduct(uint32_t rows, uint32_t columns, uint32_t depth, bool integers);

  /// `half`: the sums are f16. `steps`: in how many sums, one after another, the tensor core adds the products.
  void addFloats(MatrixType typeA, MatrixType typeB, bool half, uint32_t steps = 1);
  void addIntegers(bool saturate);
};

} // namespace lanescope::core::emulator
