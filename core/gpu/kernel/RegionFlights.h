// Derives operations in flight from a GPU's regions: a region `NAME issue` starts NAME, a region `NAME wait` waits for
// it.
//
//   with region("tile issue"): copy_gmem_to_smem(…)        # in one warpgroup
//   with region("tile wait"): barrier_wait(…)              # in this or another warpgroup of the block
//
// The n-th wait of each warpgroup is for the block's n-th issue. The flight lasts from the issue to the end of the
// first such wait. This is what the kernel observed; the copy itself may have completed earlier. An arrow goes to each
// wait.
#pragma once

#include "core/gpu/kernel/Profile.h"

namespace lanescope::core {

/// Adds flights to a decoded trace, on a track "block (…) in flight" for each block that has any.
void addRegionFlights(Trace &trace, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid);

/// "block (1, 0, 0)", by its row-major index; "block (1, 0, 0) warpgroup 0", by the index of the traced group.
std::string traceBlockName(const std::array<uint32_t, 3> &grid, uint64_t block);
std::string traceGroupName(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, uint64_t index);
/// The track of a block's flights, after those of all traced groups.
inline int64_t flightTid(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, uint64_t block) {
  return static_cast<int64_t>(1 + uint64_t{grid[0]} * grid[1] * grid[2] * spec.tracesPerBlock + block);
}
/// Returns the index of a name, and adds the name if the trace lacks it.
uint32_t traceName(Trace &trace, std::string_view name);

} // namespace lanescope::core
