// How much memory a subcore has. A module does not say which chip it is for, so the largest counts where nobody else
// does.
#pragma once

#include "core/tpu/emulator/Machine.h"

namespace lanescope::core::sparsecore {

/// VMEM of a vector subcore of the chip that has most.
uint64_t largestVmem();

/// Whether memory of that space could hold so many elements at all, with the padding of their layout; asked before the
/// host sets memory aside.
bool couldHold(uint64_t vmemBytes, const Element &element, Space space, const std::vector<int64_t> &shape,
               const std::optional<layouts::TiledMemoryLayout> &layout);
/// The fault (kind "scratch-memory") for what could not be held.
void failTooLarge(Machine &m, const Element &element, Space space, const std::vector<int64_t> &shape,
                  const std::optional<layouts::TiledMemoryLayout> &layout, uint32_t place);

/// Counts an allocation of the subcore's own; faults (kind "scratch-memory") when there is no room for it.
bool takeRoom(Machine &m, Subcore &s, const Buffer &buffer, uint32_t place);
void giveRoom(Subcore &s, const Buffer &buffer);

} // namespace lanescope::core::sparsecore
