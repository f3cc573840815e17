// Chooses which of several events that may happen in any order happens first: by a seed for the asynchronous
// operations, and an adversary that is slow on purpose. A schedule is one number, so that whatever accepts a seed
// accepts a schedule.
//
//   parseSchedule("slow-copies")           // seed 0, slow copies
//   parseSchedule("slow-warpgroup-1:7")    // seed 7, warpgroup 1 lingers after each of its waits
//   parseSchedule("slow-warp-1")           // warp 1 of each block goes on only if its other warps change nothing more
//   parseSchedule("late-warp-3:5")         // warp 3 is late for its sixth operation
//   parseSchedule("late-signals")          // a cluster sees each value of another one's flag, one after another
//   parseSchedule("slow-block-2")          // block 2 runs only if the other blocks can do nothing more
//   scheduleText(7)  ->  "7"
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

struct Launch;

enum class Adversary : uint8_t {
  None,
  SlowCopies,    // asynchronous copies start late, in any order
  SlowWarpgroup, // a warpgroup lingers after each wait, and keeps what it holds
  SlowWarp,      // one warp of each block goes on only if the other warps change nothing more
  LateArrivals,  // warps arrive late at mbarriers, each time by another delay
  SlowDevice,    // with several devices: one runs only if the others can do nothing more
  SlowLink,      // with several devices: copies to and from another device are late, in any order
  LateWarp,      // a warp of each cluster comes late to one of its waits, arrivals or barriers (machine/Grid.h)
  SlowBlock,     // if blocks can wait for each other: one runs only if the others can do nothing more
  LateSignals,   // strong loads give the values of other clusters as late as the memory model allows (LateSignals.h);
                 // with a seed, the block of that number less one is slow, too
};

struct Schedule {
  uint32_t seed = 0; // for LateWarp: the operation, from 0
  Adversary adversary = Adversary::None;
  uint32_t warpgroup = 0; // the slow warpgroup
  uint32_t device = 0;    // the slow device
  uint32_t warp = 0;      // the late warp, by its number in the cluster; the slow warp, by its number in the block
  uint32_t block = 0;     // the slow block, by its number in the grid, x fastest

  static Schedule late(uint32_t warp, uint32_t operation) {
    return {.seed = operation, .adversary = Adversary::LateWarp, .warp = warp};
  }
  /// The device that runs only if the others can do nothing more; none: no device, or there is only one.
  std::optional<uint32_t> slowDevice(size_t devices) const {
    bool slow = adversary == Adversary::SlowDevice && devices > 1;
    return slow ? std::optional(device % static_cast<uint32_t>(devices)) : std::nullopt;
  }
  /// The block that runs only if the others can do nothing more; none: no block, or there is only one.
  std::optional<uint64_t> slowBlock(uint64_t blocks) const {
    if (blocks > 1 && adversary == Adversary::SlowBlock)
      return block % blocks;
    if (blocks > 1 && adversary == Adversary::LateSignals && seed > 0)
      return (seed - 1) % blocks;
    return std::nullopt;
  }
  /// True if an Observer acts as the adversary.
  bool observed() const { return adversary != Adversary::None && adversary < Adversary::LateWarp; }
  /// A plain seed is a schedule without an adversary.
  static Schedule of(uint64_t number);
  uint64_t number() const;
};

/// "3", "slow-copies", "slow-copies:3", "slow-warpgroup-1", "slow-warp-2", "late-arrivals:3", "slow-device-2",
/// "slow-link", "slow-block-2", "late-signals", "late-warp-3:5". Errors: "schedule".
Result<uint64_t> parseSchedule(std::string_view text);
std::string scheduleText(uint64_t number);

/// The sizes of a launch that determine which adversaries apply to it.
struct ScheduleExtent {
  uint32_t warpgroups = 1; // in a block
  uint32_t warps = 1;      // in a block
  uint32_t devices = 1;
  uint32_t blocks = 1;       // in a device's grid
  uint32_t clusterWidth = 1; // blocks of a cluster in the direction of x

  static ScheduleExtent of(const Launch &launch);
  /// The larger one of each size.
  void unite(const ScheduleExtent &other);
};

/// Seeds 0 to seeds - 1. With `adversaries`, each seed is followed by every adversary for a launch of that extent; of
/// the slow blocks, by a few. Slow warps follow the first seed only, because a seed does not change the order of warps.
std::vector<uint64_t> schedulesOf(uint32_t seeds, bool adversaries, const ScheduleExtent &extent = {});
/// Drops the schedules that show nothing of blocks which cannot wait for each other.
void dropBlockSchedules(std::vector<uint64_t> &schedules);

} // namespace lanescope::core
