// Reports what the checker deliberately accepts, for the rules that `--strict-rule` names. The launch runs again in the
// strict form of each rule (machine/StrictForm.h). A finding of that run is a fault of the rule unless the first run
// had it, too.
//
//   Diagnostics told = result.diagnostics;                    // before replays decide them
//   LANESCOPE_CHECK(addStrictFaults(result, told, runs));     // adds kind "equal-write", with the finding's message
//
// Each form has its own run, so that the rule's name says which order the form ignores. One race that shows under two
// forms gives two faults.
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Adds nothing to a result with faults, unless runs continue after faults: the runs cannot be compared after a fault.
Result<void> addStrictFaults(RunResult &result, const Diagnostics &told, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
