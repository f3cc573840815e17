// Finds loads whose value each use may discard. Compilers move loads out of conditions, so every lane loads, and only
// some lanes use the value:
//
//   if (tid == 0) total = …;                     // st.shared [total]
//   int base = tid == 0 ? total : 7;             // ld.shared r, [total]; selp s, r, 7, p;
//
// The load races with the store, but lanes whose predicate is false discard the value. Whether a lane does, only a
// replay shows (replay/RacingSharedReads.h).
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// True if all uses of the value that the instruction at `load` writes may discard it: it reaches a data operand of
/// `selp`, or a value that a guarded instruction stores, directly or through arithmetic, and neither a branch nor an
/// address depends on it.
bool mayDiscard(const Program &program, uint32_t load);

} // namespace lanescope::core::emulator
