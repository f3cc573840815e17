#include "core/gpu/kernel/Occupancy.h"

#include <algorithm>

namespace lanescope::core {

namespace {

constexpr int kPartitions = 4;            // parts into which a multiprocessor's registers and warps are divided
constexpr int kRegisterGranularity = 256; // per warp
constexpr int64_t kSharedGranularity = 128;
constexpr int64_t kReservedShared = 1024; // per block, for the system

int64_t roundedUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

} // namespace

Occupancy occupancyOf(const GpuTarget &target, int threads, int registers, int64_t sharedBytes) {
  int warps = (std::max(threads, 1) + target.threadsPerWarp - 1) / target.threadsPerWarp;
  Occupancy out{target.blocksPerMultiprocessor, "blocks"};
  auto atMost = [&](int64_t blocks, std::string_view limit) {
    if (blocks < out.blocks)
      out = {static_cast<int>(blocks), limit};
  };
  atMost(target.threadsPerMultiprocessor / (warps * target.threadsPerWarp), "threads");
  if (registers > 0) {
    int64_t ofWarp = roundedUp(int64_t{registers} * target.threadsPerWarp, kRegisterGranularity);
    int64_t resident = target.registersPerMultiprocessor / kPartitions / ofWarp * kPartitions;
    atMost(resident / warps, "registers");
  }
  atMost(target.sharedBytesPerMultiprocessor / (roundedUp(sharedBytes, kSharedGranularity) + kReservedShared),
         "shared memory");
  return out;
}

} // namespace lanescope::core
