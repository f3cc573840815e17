#include "core/gpu/emulator/tensor/ColumnCache.h"

#include <algorithm>

namespace lanescope::core::emulator {

const TensorColumns *ColumnCache::find(MatrixType type, uint32_t columns, uint32_t depth,
                                       std::span<const uint8_t> bytes, uint32_t place, std::span<const int16_t> scales,
                                       const std::function<void(uint32_t first, float *out)> &widen) {
  Entry &entry = entries_[place % kMost];
  if (entry.depth == depth && entry.type == type && entry.prepared.size() == columns / kTileSide &&
      std::ranges::equal(entry.bytes, bytes))
    return entry.prepared.data();
  entry.depth = depth;
  entry.type = type;
  entry.bytes.assign(bytes.begin(), bytes.end());
  entry.wide.resize(static_cast<size_t>(columns) * depth);
  entry.prepared.resize(columns / kTileSide);
  for (uint32_t first = 0; first < columns; first += kTileSide) {
    float values[kTileSide * kTensorDepth];
    widen(first, values);
    float *out = entry.wide.data() + static_cast<size_t>(first) * depth;
    for (uint32_t k = 0; k < depth; ++k)
      for (uint32_t n = 0; n < kTileSide; ++n)
        out[k * kTileSide + n] = values[n * depth + k];
    entry.prepared[first / kTileSide].prepare(type, out, depth, scales.empty() ? nullptr : scales.data() + first);
  }
  return entry.prepared.data();
}

} // namespace lanescope::core::emulator
