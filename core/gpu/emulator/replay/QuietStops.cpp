#include "core/gpu/emulator/replay/QuietStops.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"

namespace lanescope::core::emulator {

namespace {

// Warp instructions that a cluster executes while it waits for a write of another one: some turns (Turns.cpp).
constexpr uint64_t kPatience = 1024;

uint64_t executedOf(const Warp &warp) {
  uint64_t executed = 0;
  for (const auto &block : warp.block->cluster->blocks)
    executed += block->executed;
  return executed;
}

} // namespace

bool QuietStops::waits(const Warp &warp, uint64_t writes, uint64_t most) {
  uint64_t executed = executedOf(warp);
  auto [stop, begins] = stops_.try_emplace(warpOf(warp), Stop{writes, executed, executed});
  const bool quiet = stop->second.writes == writes && executed - stop->second.executed >= kPatience;
  if (!begins && (quiet || executed - stop->second.began >= most)) {
    stops_.erase(stop);
    return false;
  }
  if (stop->second.writes != writes) {
    stop->second.writes = writes;
    stop->second.executed = executed;
  }
  return true;
}

void QuietStops::goesOn(const Warp &warp) { stops_.erase(warpOf(warp)); }

} // namespace lanescope::core::emulator
