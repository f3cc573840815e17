// Confirms or drops the suspicion that a kernel needs the order of a strong store, or an atomic, and a later access of
// its thread, which no fence keeps: runs the kernel with that store late. Also runs it with the write of one block
// early if this block reads the place without an acquire of the others' writes.
//
//   LANESCOPE_CHECK(settleLateStores(result, runs, suspected.stale));   // adds a fault for the first one
#pragma once

#include "core/gpu/emulator/replay/RepeatedRun.h"

namespace lanescope::core::emulator {

/// Adds a fault to a result without faults if a late store or atomic breaks the kernel: the run with it ends in a
/// fault, or its results differ, or they differ if a load then gives an older value, which nothing forbids any more.
/// Also adds the finding about a strong load if its block writes the place early, the load gives a value without the
/// other blocks' writes, and results differ.
/// `stale`: the loads that may give an older value without late stores. Outputs that other schedules change do not
/// count. Only the schedule 0 makes these runs.
Result<void> settleLateStores(RunResult &result, const RepeatedRun &runs, const StaleReads &stale);

} // namespace lanescope::core::emulator
