// An emulator that runs each kernel under several schedules (core/gpu/emulator/coverage/SchedulePlan.h).
#pragma once

#include "core/Device.h"
#include "core/gpu/emulator/coverage/SchedulePlan.h"

#include <functional>
#include <memory>

namespace lanescope::repl {

/// Receives the findings of a run. `entry`: the kernel's name in the PTX.
using FoundUnderSchedule = std::function<void(const Diagnostics &, uint64_t schedule, const std::string &entry)>;

/// Makes the device. A run returns the result of schedule 0, and `found` gets the findings of the other schedules.
/// `reserve` must outlive the device.
std::unique_ptr<core::Device> makePlannedDevice(core::ScheduleReserve &reserve, FoundUnderSchedule found);

} // namespace lanescope::repl
