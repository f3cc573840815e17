// Memory that outlives a launch: the allocations of a program. Each allocation has its own address, which never
// changes. So pointers that are stored in memory stay valid.
//
//   StandingMemory memory;
//   memory.pieces.push_back({.region = 300, .bytes = allocation, .name = "allocation 1"});
//   emulate(ptx, launch, {}, {.standing = &memory});   // outputs[n]: the contents of region n
//
// The pieces themselves are never written. A launch in standing memory has no buffers of its own, and its parameters
// are scalars and bytes.
#pragma once

#include "core/gpu/emulator/machine/Addresses.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// The piece starts at `addressOfRegion(region)`. `bytes` starts at a multiple of 256.
struct StandingPiece {
  uint32_t region = 0;
  std::span<const std::byte> bytes;
  std::string name; // the name in messages: "allocation 3"
};

/// Regions of a module's `.global` and `.const` variables, by name.
using PlacedVariables = std::map<std::string, uint32_t, std::less<>>;

struct StandingMemory {
  std::vector<StandingPiece> pieces; // sorted by region; each region occurs once; includes the variables' pieces
  PlacedVariables variables;
};

inline uint64_t addressOfRegion(uint32_t region) {
  return kGlobalBase + (static_cast<uint64_t>(region) << kRegionShift);
}

} // namespace lanescope::core::emulator
