#include "core/tpu/program/TpuTiling.h"

#include <algorithm>

namespace lanescope::core::sparsecore {

std::optional<layouts::TiledMemoryLayout> tensorCoreLayout(const Element &element, Space space,
                                                           const std::vector<int64_t> &shape, bool allocated) {
  constexpr int64_t kSublanes = 8, kLanes = 128, kWordBits = 32;
  bool tiled = space == Space::Vmem || space == Space::VmemShared || space == Space::Hbm || space == Space::Any;
  int64_t bits = element.bits;
  if (!tiled || element.isSemaphore() || shape.empty() || bits < 2 || bits > kWordBits)
    return std::nullopt;
  int64_t packing = kWordBits / bits;
  auto rowsFor = [&](int64_t rows) { // the rows that fill a word, doubled until they cover `rows` or a whole tile
    int64_t most = std::max(kSublanes, packing), tile = packing;
    while (tile < std::min(rows, most))
      tile *= 2;
    return tile;
  };
  std::vector<layouts::Shape> tiles;
  if (shape.size() == 1) {
    int64_t rows = (shape[0] + kLanes - 1) / kLanes;
    tiles.push_back({rowsFor(rows) * kLanes});
    if (packing > 1) {
      tiles.push_back({kLanes});
      tiles.push_back({packing, 1});
    }
  } else {
    bool narrow = allocated && packing == 1 && shape.back() <= kLanes;
    tiles.push_back({narrow ? 1 : rowsFor(shape[shape.size() - 2]), kLanes});
    if (packing > 1)
      tiles.push_back({packing, 1});
  }
  auto layout = layouts::TiledMemoryLayout::packed(std::move(tiles), shape);
  return layout ? std::optional(*std::move(layout)) : std::nullopt;
}

} // namespace lanescope::core::sparsecore
