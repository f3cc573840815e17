// Tells what the checker lets pass on purpose, where `--strict-rule` asks for it: the launch is run again in each
// strict form that was named (machine/StrictForm.h). What is found there, and was not found before, is a fault of that
// rule.
//
//   Diagnostics told = result.diagnostics;                    // before replays settled them
//   LANESCOPE_CHECK(addStrictFaults(result, told, runs));     // kind "equal-write", with what was found as its message
//
// A form is a run of its own, so that a rule's name says which order does not count: the same race under two forms is
// two faults.
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Nothing is added to a result with faults, unless runs go on after them: what comes after a fault is not compared.
Result<void> addStrictFaults(RunResult &result, const Diagnostics &told, const RepeatedRun &runs);

} // namespace lanescope::core::emulator
