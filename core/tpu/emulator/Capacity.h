// The memory size of a subcore. A module does not name its chip, so the largest size of all chips is used, unless the
// caller gives one.
#pragma once

#include "core/tpu/emulator/TpuMachine.h"

namespace lanescope::core::sparsecore {

/// The VMEM of a vector subcore on the chip that has the most.
uint64_t largestVmem();

/// True if memory of that space could hold so many elements, including the padding of their layout. Call this before
/// the host allocates memory.
bool couldHold(uint64_t vmemBytes, const Element &element, Space space, const std::vector<int64_t> &shape,
               const std::optional<layouts::TiledMemoryLayout> &layout);
/// Reports the fault (kind "scratch-memory") for an allocation that does not fit.
void failTooLarge(Machine &m, const Element &element, Space space, const std::vector<int64_t> &shape,
                  const std::optional<layouts::TiledMemoryLayout> &layout, uint32_t place);

/// Counts an allocation of the subcore; faults (kind "scratch-memory") if there is no room for it.
bool takeRoom(Machine &m, Subcore &s, const Buffer &buffer, uint32_t place);
void giveRoom(Subcore &s, const Buffer &buffer);

} // namespace lanescope::core::sparsecore
