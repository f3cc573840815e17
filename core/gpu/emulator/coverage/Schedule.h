// Which of the things that may happen in any order happen first: a seed for the asynchronous operations, and an
// adversary that is slow on purpose. It is one number, so that whatever takes a seed takes a schedule.
//
//   parseSchedule("slow-copies")           // seed 0, copies that take their time
//   parseSchedule("slow-warpgroup-1:7")    // seed 7, warpgroup 1 lingers behind each of its waits
//   parseSchedule("late-warp-3:5")         // warp 3 is late for its sixth operation
//   scheduleText(7)  ->  "7"
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

enum class Adversary : uint8_t {
  None,
  SlowCopies,    // asynchronous copies start late, in any order
  SlowWarpgroup, // a warpgroup lingers behind each wait, and holds what it has
  LateArrivals,  // warps are late, each time by another delay, to arrive at an mbarrier
  SlowDevice,    // of several devices one gets on only when the others can do nothing more
  SlowLink,      // likewise, copies to and from another device are late, in any order
  LateWarp,      // a warp of each cluster comes late to one of its waits, arrivals or barriers (machine/Grid.h)
};

struct Schedule {
  uint32_t seed = 0; // for LateWarp: the operation, from 0
  Adversary adversary = Adversary::None;
  uint32_t warpgroup = 0; // that is slow
  uint32_t device = 0;    // likewise
  uint32_t warp = 0;      // the late one, by its number in the cluster

  static Schedule late(uint32_t warp, uint32_t operation) {
    return {.seed = operation, .adversary = Adversary::LateWarp, .warp = warp};
  }
  /// Whether an Observer plays the adversary.
  bool observed() const { return adversary != Adversary::None && adversary != Adversary::LateWarp; }
  /// A plain seed is a schedule without an adversary.
  static Schedule of(uint64_t number);
  uint64_t number() const;
};

/// "3", "slow-copies", "slow-copies:3", "slow-warpgroup-1", "late-arrivals:3", "slow-device-2", "slow-link",
/// "late-warp-3:5". Error
/// "schedule".
Result<uint64_t> parseSchedule(std::string_view text);
std::string scheduleText(uint64_t number);

/// Seeds 0 to seeds - 1, each followed by every adversary for a block of that many warpgroups, on that many devices,
/// where `adversaries`.
std::vector<uint64_t> schedulesOf(uint32_t seeds, bool adversaries, uint32_t warpgroups, uint32_t devices = 1);

} // namespace lanescope::core
