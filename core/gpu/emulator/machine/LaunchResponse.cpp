#include "core/gpu/emulator/machine/LaunchResponse.h"

#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kResponseMark = 0x434C4300; // "\0CLC"; + 1: cancelled

struct EncodedResponse {
  uint32_t block[3];
  uint32_t mark;
};
static_assert(sizeof(EncodedResponse) == kLaunchResponseBytes);

} // namespace

LaunchResponse takeCluster(Grid &grid) {
  if (grid.nextCluster >= grid.clusterCount())
    return {};
  return {true, grid.firstBlockOf(grid.nextCluster++)};
}

std::array<std::byte, kLaunchResponseBytes> encode(const LaunchResponse &response) {
  const auto &block = response.firstBlock;
  EncodedResponse e{{block[0], block[1], block[2]}, kResponseMark + response.canceled};
  std::array<std::byte, kLaunchResponseBytes> out;
  std::memcpy(out.data(), &e, sizeof e);
  return out;
}

std::optional<LaunchResponse> decodeLaunchResponse(const std::array<std::byte, kLaunchResponseBytes> &bytes) {
  EncodedResponse e;
  std::memcpy(&e, bytes.data(), sizeof e);
  if (e.mark != kResponseMark && e.mark != kResponseMark + 1)
    return std::nullopt;
  return LaunchResponse{e.mark == kResponseMark + 1, {e.block[0], e.block[1], e.block[2]}};
}

} // namespace lanescope::core::emulator
