#include "core/gpu/emulator/tensor/WarpProduct.h"

#include "core/gpu/emulator/tensor/TensorSum.h"

#include <algorithm>

namespace lanescope::core::emulator {

WarpProduct::WarpProduct(uint32_t rows, uint32_t columns, uint32_t depth, bool integers)
    : m(rows), n(columns), k(depth) {
  if (integers) {
    ia.resize(size_t{m} * k);
    ib.resize(size_t{k} * n);
    isums.resize(size_t{m} * n);
  } else {
    a.resize(size_t{m} * k);
    b.resize(size_t{k} * n);
    sums.resize(size_t{m} * n);
  }
}

void WarpProduct::addFloats(MatrixType typeA, MatrixType typeB, bool half, uint32_t steps) {
  TensorSum rule{.half = half};
  std::vector<float> rows(size_t{kTensorRows} * k), right(size_t{k} * kTileSide);
  TensorColumns columns;
  for (uint32_t column = 0; column < n; column += kTileSide) {
    for (uint32_t i = 0; i < k; ++i)
      std::copy_n(b.data() + size_t{i} * n + column, kTileSide, right.data() + size_t{i} * kTileSide);
    columns.prepare(typeB, right.data(), k);
    for (uint32_t row = 0; row < m; row += kTensorRows) {
      uint32_t count = std::min(kTensorRows, m - row);
      std::ranges::fill(rows, 0.0f);
      std::copy_n(a.data() + size_t{row} * k, size_t{count} * k, rows.data());
      TensorRows left(typeA, rows.data(), k);
      for (uint32_t down = 0; down < count / kTileSide; ++down) {
        float tile[kTileSide * kTileSide];
        auto place = [&](uint32_t r) { return sums.data() + size_t{row + down * kTileSide + r} * n + column; };
        for (uint32_t r = 0; r < kTileSide; ++r)
          std::copy_n(place(r), kTileSide, tile + r * kTileSide);
        for (uint32_t step = 0; step < steps; ++step)
          sumTile(rule, left, down, columns, step * k / steps, (step + 1) * k / steps, tile);
        for (uint32_t r = 0; r < kTileSide; ++r)
          std::copy_n(tile + r * kTileSide, kTileSide, place(r));
      }
    }
  }
}

void WarpProduct::addIntegers(bool saturate) {
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t column = 0; column < n; ++column) {
      int64_t sum = isums[size_t{row} * n + column];
      for (uint32_t i = 0; i < k; ++i)
        sum += ia[size_t{row} * k + i] * ib[size_t{i} * n + column];
      isums[size_t{row} * n + column] =
          static_cast<int32_t>(saturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }
}

} // namespace lanescope::core::emulator
