// The response to `clusterlaunchcontrol.try_cancel`: 16 bytes in our own encoding (the hardware's is not public), with
// a mark by which any other bytes are noticed.
//
//   auto bytes = encode(takeCluster(grid));   // the caller gets the next cluster's blocks
//   decodeLaunchResponse(bytes)->firstBlock   ->  {8, 0, 0}
#pragma once

#include "core/gpu/emulator/machine/Grid.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lanescope::core::emulator {

struct LaunchResponse {
  bool canceled = false;
  std::array<uint32_t, 3> firstBlock{}; // the cluster's first block
};

inline constexpr uint32_t kLaunchResponseBytes = 16;

/// Takes the next cluster that has not started; the response says if there was one.
LaunchResponse takeCluster(Grid &grid);

std::array<std::byte, kLaunchResponseBytes> encode(const LaunchResponse &response);
std::optional<LaunchResponse> decodeLaunchResponse(const std::array<std::byte, kLaunchResponseBytes> &bytes);

} // namespace lanescope::core::emulator
