#include "core/gpu/emulator/check/LaneAddresses.h"

#include "core/gpu/emulator/machine/Lanes.h"
#include "core/HostVectors.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

using Eight = uint64_t __attribute__((vector_size(64)));
using EightFlags = int64_t __attribute__((vector_size(64)));

} // namespace

LANESCOPE_WIDE uint32_t followers(const uint64_t *addresses, uint64_t bytes) {
  uint32_t out = 0;
  Eight last = {};
  for (uint32_t l = 0; l < kLanes; l += 8) {
    // Loaded with the width with which it was stored; a shuffle gives the address before each one.
    Eight own;
    std::memcpy(&own, addresses + l, sizeof own);
    Eight before = __builtin_shufflevector(last, own, 7, 8, 9, 10, 11, 12, 13, 14);
    EightFlags bit{1, 2, 4, 8, 16, 32, 64, 128}, follows = ((own == before) | (own == before + bytes)) & bit;
    for (int n = 0; n < 8; ++n)
      out |= static_cast<uint32_t>(follows[n]) << l;
    last = own;
  }
  return out & ~1u;
}

LANESCOPE_WIDE uint32_t lanesWith(const uint64_t *addresses, uint64_t address) {
  uint32_t out = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    out |= static_cast<uint32_t>(addresses[l] == address) << l;
  return out;
}

bool areRising(const uint64_t *addresses, uint32_t mask) {
  uint64_t next = 0; // the least address that the next lane may have, if addresses rise
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t address = addresses[std::countr_zero(left)];
    if (address < next)
      return false;
    next = address + 1;
  }
  return true;
}

LANESCOPE_WIDE Bounds boundsOf(const uint64_t *addresses) {
  Bounds out{addresses[0], addresses[0]};
  for (uint32_t l = 1; l < kLanes; ++l) {
    out.lowest = std::min(out.lowest, addresses[l]);
    out.highest = std::max(out.highest, addresses[l]);
  }
  return out;
}

} // namespace lanescope::core::emulator
