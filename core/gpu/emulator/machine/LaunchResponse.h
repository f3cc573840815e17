// The response to `clusterlaunchcontrol.try_cancel`. It has 16 bytes in our own encoding, because the hardware's is not
// public. A mark in it distinguishes it from any other bytes.
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

/// Takes the next cluster that has not started. The response says whether there was one.
LaunchResponse takeCluster(Grid &grid);

std::array<std::byte, kLaunchResponseBytes> encode(const LaunchResponse &response);
std::optional<LaunchResponse> decodeLaunchResponse(const std::array<std::byte, kLaunchResponseBytes> &bytes);

} // namespace lanescope::core::emulator
