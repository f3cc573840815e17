// What `clusterlaunchcontrol.try_cancel` answers: 16 bytes of our own encoding (the hardware's is not public), with a
// mark so that anything else is noticed.
//
//   auto bytes = encode(takeCluster(grid));   // the next cluster does not start: the asker has its blocks
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
  std::array<uint32_t, 3> firstBlock{}; // of the cluster
};

inline constexpr uint32_t kLaunchResponseBytes = 16;

/// Takes the next cluster that has not started, if there is one.
LaunchResponse takeCluster(Grid &grid);

std::array<std::byte, kLaunchResponseBytes> encode(const LaunchResponse &response);
std::optional<LaunchResponse> decodeLaunchResponse(const std::array<std::byte, kLaunchResponseBytes> &bytes);

} // namespace lanescope::core::emulator
