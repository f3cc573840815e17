// Plain loads that race with a store of another warp of their cluster or an atomic of any, and whose values may be
// nobody's: Triton's kernels that update an array smaller than their threads load every element several times, and one
// of the threads stores it; loops of `atom.cas` begin with one, and compare it.
//
//   GlobalShadow shadow; shadow.racingReads.emplace();     // they are noted there instead of being faults
//
// Whether anything depends on what they read, runs with other values there say (replay/PerturbedReads.h).
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string_view>

namespace lanescope::core::emulator {

/// A load of a warp, each time it executes it.
struct RacingRead {
  uint32_t device = 0, block = 0, warp = 0, pc = 0;
  auto operator<=>(const RacingRead &) const = default;
};
using RacingReads = std::set<RacingRead>;

inline constexpr size_t kMostRacingReads = 1 << 16; // beyond, they are faults
inline constexpr std::string_view kRacingReadKind = "racing-read";
inline constexpr std::string_view kRacingValueKind = "racing-value"; // any of the values that were there serves

} // namespace lanescope::core::emulator
