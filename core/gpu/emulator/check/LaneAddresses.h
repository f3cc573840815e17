// Functions of the 32 addresses of an access that find which lanes access which address.
//
//   followers(addresses, 4)             -> the lanes whose address is that of the lane before them, or 4 more
//   lanesWith(addresses, addresses[5])  -> the lanes that access the same address as lane 5
//   boundsOf(addresses)                 -> the lowest and the highest address
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

/// The lanes whose address equals that of the previous lane, or is `bytes` larger.
uint32_t followers(const uint64_t *addresses, uint64_t bytes);
/// The lanes whose address is `address`.
uint32_t lanesWith(const uint64_t *addresses, uint64_t address);

/// True if the addresses of the lanes in `mask` strictly increase with the lane.
bool areRising(const uint64_t *addresses, uint32_t mask);

struct Bounds {
  uint64_t lowest = 0, highest = 0;
};
Bounds boundsOf(const uint64_t *addresses);

} // namespace lanescope::core::emulator
