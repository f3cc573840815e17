// Reports what the checker lets pass on purpose, for the rules that `--strict-rule` names. The launch runs again in the
// strict form of each rule (machine/StrictForm.h). A finding of that run which the first run did not have is a fault of
// the rule.
//
//   Diagnostics told = result.diagnostics;                    // before replays decide them
//   LANESCOPE_CHECK(addStrictFaults(result, told, runs));     // adds kind "equal-write", with the finding's message
//
// Each form has a run of its own, so that the rule's name says which order does not count. One race under two forms is
// two faults.
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Adds nothing to a result with faults, unless runs continue after faults: what follows a fault is not compared.
Result<void> addStrictFaults(RunResult &result, const Diagnostics &told, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
