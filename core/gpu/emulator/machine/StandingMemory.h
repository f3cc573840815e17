// Memory that outlives a launch: the allocations of a program, each at an address of its own that never changes, so
// that pointers in memory stay pointers.
//
//   StandingMemory memory;
//   memory.pieces.push_back({.region = 300, .bytes = allocation, .name = "allocation 1"});
//   emulate(ptx, launch, {}, {.standing = &memory});   // its outputs: what each region holds, by its number
//
// The pieces themselves are only read. A launch in standing memory has no buffers of its own: its parameters are
// scalars and bytes.
#pragma once

#include "core/gpu/emulator/machine/Addresses.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// `region`: its address is `addressOfRegion(region)`. `bytes` start at a multiple of 256.
struct StandingPiece {
  uint32_t region = 0;
  std::span<const std::byte> bytes;
  std::string name; // in messages: "allocation 3"
};

/// Regions of a module's `.global` and `.const` variables, by name.
using PlacedVariables = std::map<std::string, uint32_t, std::less<>>;

struct StandingMemory {
  std::vector<StandingPiece> pieces; // by region, each once; the variables' too
  PlacedVariables variables;
};

inline uint64_t addressOfRegion(uint32_t region) {
  return kGlobalBase + (static_cast<uint64_t>(region) << kRegionShift);
}

} // namespace lanescope::core::emulator
