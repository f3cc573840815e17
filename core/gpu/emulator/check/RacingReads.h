// Plain loads that race with a store of another warp of their cluster, or with an atomic of any warp. Their values may
// not matter. In Triton's kernels for arrays that are smaller than the number of threads, several threads load each
// element and one of them stores it. Loops of `atom.cas` begin with such a load, and compare memory with its value.
//
//   GlobalShadow shadow; shadow.racingReads.emplace();     // the loads are recorded there instead of being faults
//
// Replays in which the loads return other values show if any result depends on the values (replay/PerturbedReads.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace lanescope::core::emulator {

/// A load instruction of a warp. All executions of the instruction count as one.
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

inline constexpr size_t kMostRacingReads = 1 << 16; // further ones are faults
inline constexpr std::string_view kRacingReadKind = "racing-read";
/// A load that races with a store by another lane of its warp, after the two lanes have diverged. A replay replaces
/// this kind.
inline constexpr std::string_view kUnsettledLaneRace = "lane-race";
/// A load of shared memory that `atom.cas` verifies (Guesses.h). After the replays, the kind becomes kRacingReadKind.
inline constexpr std::string_view kVerifiedGuess = "verified-guess";
// The result is right with any of the racing values.
inline constexpr std::string_view kRacingValueKind = "racing-value";

} // namespace lanescope::core::emulator
