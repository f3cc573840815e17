// Computes how many blocks of a kernel fit on a multiprocessor at once.
//
//   occupancyOf(target, 128, 40, 33 * 1024)   ->  6, limited by "shared memory"
//
// Sources: CUDA C++ Programming Guide, "Compute Capabilities"; the occupancy calculator's granularities.
#pragma once

#include "core/gpu/kernel/GpuTarget.h"

#include <cstdint>
#include <string_view>

namespace lanescope::core {

struct Occupancy {
  int blocks = 0;         // number of blocks on one multiprocessor at once; 0: one block needs too much
  std::string_view limit; // the resource that prevents another block: "registers", "shared memory", "threads", "blocks"
};
/// `registers` is per thread; 0: unknown, so that registers are no limit. `sharedBytes` is per block.
Occupancy occupancyOf(const GpuTarget &target, int threads, int registers, int64_t sharedBytes);

} // namespace lanescope::core
