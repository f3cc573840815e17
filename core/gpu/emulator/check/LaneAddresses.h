// Which lanes of an access have which addresses: passes over all 32 of them.
//
//   followers(addresses, 4)             -> lanes whose address is that of the lane before them, or 4 more
//   lanesWith(addresses, addresses[5])  -> lanes that access the same address as lane 5
//   boundsOf(addresses)                 -> the lowest and the highest address
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

/// The lanes whose address is `bytes` above that of the lane before them, or the same.
uint32_t followers(const uint64_t *addresses, uint64_t bytes);
/// The lanes whose address is `address`.
uint32_t lanesWith(const uint64_t *addresses, uint64_t address);

/// Whether the address of each lane in `mask` is above that of the lane in `mask` before it.
bool areRising(const uint64_t *addresses, uint32_t mask);

struct Bounds {
  uint64_t lowest = 0, highest = 0;
};
Bounds boundsOf(const uint64_t *addresses);

} // namespace lanescope::core::emulator
