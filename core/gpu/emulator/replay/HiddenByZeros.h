// Races that only the zeros of arrays hide. An array that a launch gives no data holds zeros. Two threads that write
// what they compute from it then often write the same bytes to one place, and the checker lets equal writes pass:
//
//   A: ld.global r, [x]; st.global [y], r;    B: ld.global q, [x+4]; st.global [y], q;      // x is all zeros
//
//   if (suspected.equalWrites)
//     LANESCOPE_CHECK(noteHiddenByZeros(result, runs));      // adds a note of the kind `equal-write`
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Runs the launch again with other numbers in the arrays that are all zeros and no outputs, and adds a note for each
/// race of that run. Such a race is no fault, because the kernel may need the zeros. Only the schedule 0 makes this
/// run, and only for a result without faults.
Result<void> noteHiddenByZeros(RunResult &result, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
