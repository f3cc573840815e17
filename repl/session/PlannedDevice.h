// An emulator that runs each kernel under several schedules (core/gpu/emulator/coverage/SchedulePlan.h).
#pragma once

#include "core/Device.h"
#include "core/gpu/emulator/coverage/SchedulePlan.h"
#include "core/gpu/kernel/Launch.h"

#include <functional>
#include <memory>

namespace lanescope::repl {

/// The result of a run is that of schedule 0; `found` gets the findings of each other one. `reserve` outlives it.
std::unique_ptr<core::Device> makePlannedDevice(core::ScheduleReserve &reserve,
                                                std::function<void(const Diagnostics &, uint64_t schedule)> found);

/// Whether runs under other schedules may still tell why: a warp that cannot go on, or reads what is still on its way,
/// may be so because of what another warp did too early.
bool mayHaveOtherCause(const Diagnostics &findings);

/// Bytes that a run of the launch copies.
uint64_t arrayBytesOf(const core::Launch &launch);

} // namespace lanescope::repl
