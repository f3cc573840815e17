// Numbers blocks over all devices, and names blocks in words.
#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

DeviceBlock deviceBlockOf(const std::array<uint32_t, 3> &grid, uint32_t number) {
  uint32_t each = grid[0] * grid[1] * grid[2];
  return each ? DeviceBlock{number / each, number % each} : DeviceBlock{0, number};
}

DeviceBlock deviceBlockOf(const Launch &launch, uint32_t number) { return deviceBlockOf(launch.grid, number); }

std::optional<uint32_t> blockNumberOf(const Launch &launch, DeviceBlock block) {
  uint32_t each = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (block.device >= launch.deviceCount() || block.block >= each)
    return std::nullopt;
  return block.device * each + block.block;
}

std::string blockWords(const Launch &launch, uint32_t number) {
  return blockWords(launch.grid, launch.deviceCount(), deviceBlockOf(launch, number));
}

std::string blockWords(const std::array<uint32_t, 3> &grid, uint32_t devices, DeviceBlock where) {
  auto [device, block] = where;
  uint32_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
  std::string out = grid[2] > 1   ? text("block (", z, ", ", y, ", ", x, ")")
                    : grid[1] > 1 ? text("block (", y, ", ", x, ")")
                                  : text("block ", block);
  return devices > 1 ? text("device ", device, " ", out) : out;
}

} // namespace lanescope::core
