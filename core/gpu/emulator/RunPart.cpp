#include "core/gpu/emulator/RunPart.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lanescope::core::emulator {

MemoryState MemoryState::of(const Grid &grid) {
  MemoryState state;
  state.heapUsed = grid.heapUsed;
  for (uint32_t n = 0; n < grid.regions.size(); ++n) {
    const Region &region = grid.regions[n];
    if (!region.data || region.readOnly || region.lent || region.bytes == 0 ||
        (region.initial && std::memcmp(region.data, region.initial, region.bytes) == 0))
      continue;
    state.regions[n].assign(region.data, region.data + region.bytes);
  }
  return state;
}

Result<void> MemoryState::fits(const Grid &grid) const {
  for (const auto &[number, bytes] : regions)
    if (number >= grid.regions.size() || !grid.regions[number].data || grid.regions[number].bytes != bytes.size() ||
        (grid.regions[number].readOnly && !grid.regions[number].lent))
      return error("checkpoint", text("the checkpoint has ", bytes.size(), " bytes for region ", number,
                                      " of memory, which this launch does not have; remove the file"));
  return {};
}

void MemoryState::restore(Grid &grid) const {
  grid.heapUsed = heapUsed;
  for (const auto &[number, bytes] : regions) {
    Region &region = grid.regions[number];
    if (region.lent)
      region.lent->written = true;
    else
      std::ranges::copy(bytes, region.data);
  }
}

std::vector<uint64_t> RunPart::chosen(const Grid &grid) const {
  const uint64_t all = grid.clusterCount(), from = std::min(first, all);
  std::vector<uint64_t> numbers(std::min(count, all - from));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

} // namespace lanescope::core::emulator
