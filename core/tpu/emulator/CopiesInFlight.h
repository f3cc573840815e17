// Copies in flight: their start, their completion, and the waits for them.
//
// The schedule decides when data move: as late as the rules allow (when a wait needs the copy), at once, or at a moment
// in between (Machine::seed). The checker's result is the same in each case.
#pragma once

#include "core/tpu/emulator/CheckedAccess.h"

namespace lanescope::core::sparsecore {

/// Moves the data and signals. False: a fault.
bool complete(Machine &m, uint32_t copy);
/// Completes the copies that are due, and a few more at random. False: a fault.
bool completeDue(Machine &m);
/// Completes all remaining copies, for which no subcore waits.
bool completeAll(Machine &m);

/// Takes `amount` from the semaphore, if its count is large enough. First completes as many copies that signal it as
/// are needed. A subcore that takes the whole count is ordered after all those copies. If it takes less, the count may
/// come from any of the copies.
enum class Taken : uint8_t { Yes, NotYet, Fault };
Taken take(Machine &m, Subcore &s, Buffer &semaphores, int64_t index, int64_t amount);
void signal(Buffer &semaphores, int64_t index, int64_t amount, double time);

/// The core and subcore that the instruction names by the roles Device, Core and Subcore; false: a fault.
bool targetOf(Machine &m, Subcore &s, const Instruction &i, Location &there, bool &elsewhere);
/// The reference to the counterpart of its buffer at another place; the reference itself if the instruction names no
/// other place.
bool referenceAt(Machine &m, const Instruction &i, MemRef &ref, const Location &there, std::string_view what);

} // namespace lanescope::core::sparsecore
