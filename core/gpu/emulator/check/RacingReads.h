// Plain loads that race with a store of another warp of their cluster, or with an atomic of any warp, and whose values
// may not matter. Triton's kernels that update an array smaller than their threads load every element several times,
// and one of the threads stores it. Loops of `atom.cas` begin with such a load, and compare it.
//
//   GlobalShadow shadow; shadow.racingReads.emplace();     // the loads are recorded there instead of being faults
//
// Replays in which the loads return other values show if any result depends on them (replay/PerturbedReads.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace lanescope::core::emulator {

/// A load instruction of a warp, however often the warp executes it.
struct RacingRead {
  uint32_t device = 0, block = 0, warp = 0, pc = 0;
  bool operator==(const RacingRead &) const = default;
  struct Hash {
    size_t operator()(const RacingRead &read) const {
      uint64_t thread = uint64_t{read.device} << 48 ^ uint64_t { read.block } << 8 ^ read.warp;
      return (thread * 0x9E3779B97F4A7C15ull ^ read.pc) * 0xD6E8FEB86659FD93ull >> 16;
    }
  };
};
using RacingReads = std::unordered_set<RacingRead, RacingRead::Hash>;

inline constexpr size_t kMostRacingReads = 1 << 16; // with more, they are faults
inline constexpr std::string_view kRacingReadKind = "racing-read";
/// A load that races with a store by a lane that has diverged from its own. A replay replaces the kind.
inline constexpr std::string_view kUnsettledLaneRace = "lane-race";
/// A load of shared memory that `atom.cas` verifies (Guesses.h). The kind becomes kRacingReadKind after the replays.
inline constexpr std::string_view kVerifiedGuess = "verified-guess";
inline constexpr std::string_view kRacingValueKind = "racing-value"; // any of the racing values serves

} // namespace lanescope::core::emulator
