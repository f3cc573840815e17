// Copies in flight: started, completed, waited for.
//
// When data move is the schedule's: as late as the rules allow (when a wait needs the copy), at once, or at some moment
// between (Machine::seed). The checker's verdict is the same either way.
#pragma once

#include "core/tpu/emulator/Access.h"

namespace lanescope::core::sparsecore {

/// Moves the data and signals. False: a fault.
bool complete(Machine &m, uint32_t copy);
/// Completes copies that are due, and a few more by chance. False: a fault.
bool completeDue(Machine &m);
/// All that are left, as happens when nobody waits for them.
bool completeAll(Machine &m);

/// Takes `amount` from the semaphore if it is there, completing copies that signal it as far as need be. Whoever takes
/// all that there is knows what those copies did; of less nobody can say which of several copies it came from.
enum class Taken : uint8_t { Yes, NotYet, Fault };
Taken take(Machine &m, Subcore &s, Buffer &semaphores, int64_t index, int64_t amount);
void signal(Buffer &semaphores, int64_t index, int64_t amount, double time);

/// The core and subcore that roles Device, Core and Subcore name; false: a fault.
bool targetOf(Machine &m, Subcore &s, const Instruction &i, Location &there, bool &elsewhere);
/// The reference there; the same one if nothing names another place.
bool referenceAt(Machine &m, const Instruction &i, MemRef &ref, const Location &there, std::string_view what);

} // namespace lanescope::core::sparsecore
