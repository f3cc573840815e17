// Derives operations in flight from a GPU's regions: a region `NAME issue` starts NAME, a region `NAME wait` waits for
// it.
//
//   with region("tile issue"): copy_gmem_to_smem(…)        # in one warpgroup
//   with region("tile wait"): barrier_wait(…)              # in this or another warpgroup of the block
//
// The n-th wait of each warpgroup waits for the block's n-th issue. The flight lasts from the issue to the end of the
// first such wait. The wait shows only when the kernel saw the completion; the copy itself may have completed earlier.
// An arrow goes to each wait.
#pragma once

#include "core/gpu/kernel/Profile.h"

namespace lanescope::core {

/// Adds flights to a decoded trace, on a track "block (…) in flight" for each block that has any.
void addRegionFlights(Trace &trace, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid);

/// The name of a block in traces: "block (1, 0, 0)", for its row-major index. The second function also names the traced
/// group: "block (1, 0, 0) warpgroup 0", for the group's index.
std::string traceBlockName(const std::array<uint32_t, 3> &grid, uint64_t block);
std::string traceGroupName(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, uint64_t index);
/// The track of a block's flights, after those of all traced groups.
inline int64_t flightTid(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, uint64_t block) {
  return static_cast<int64_t>(1 + uint64_t{grid[0]} * grid[1] * grid[2] * spec.tracesPerBlock + block);
}
/// Returns the index of a name, and adds the name if the trace lacks it.
uint32_t traceName(Trace &trace, std::string_view name);

} // namespace lanescope::core
