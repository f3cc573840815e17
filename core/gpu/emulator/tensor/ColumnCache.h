// Caches columns of B that are ready for sumTile() while their bytes stay the same: consecutive blocks often multiply
// by the same tile.
#pragma once

#include "core/gpu/emulator/tensor/TensorSum.h"

#include <functional>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

class ColumnCache {
public:
  /// Returns `columns` columns (a multiple of 8) with `depth` values of `type` each. `bytes` determine these values.
  /// `widen` writes the values of eight columns, beginning with the given one, column after column. `place` is any
  /// number that usually differs if the bytes differ. `scales`: exponents of two, contained in `bytes`, by which the
  /// columns have already been multiplied; empty if there are none. The result is valid until the next call.
  const TensorColumns *find(MatrixType type, uint32_t columns, uint32_t depth, std::span<const uint8_t> bytes,
                            uint32_t place, std::span<const int16_t> scales,
                            const std::function<void(uint32_t first, float *out)> &widen);

private:
  struct Entry {
    MatrixType type = MatrixType::F16;
    uint32_t depth = 0; // 0: the entry is empty
    std::vector<uint8_t> bytes;
    std::vector<float> wide;
    std::vector<TensorColumns> prepared;
  };
  static constexpr size_t kMost = 8; // the number of steps of an instruction along K
  Entry entries_[kMost];
};

} // namespace lanescope::core::emulator
