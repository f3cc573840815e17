// The emulator as a Device. It refuses what a GPU would refuse, with the same messages.
#pragma once

#include "core/Device.h"

namespace lanescope::core {

class Coverage;
struct EmulatorStatistics;
struct RunRecord;

/// `coverage` collects the coverage of all runs, `record` each instruction's work in the last run (EmulatorOptions),
/// `statistics` the last run's counts. Each may be null, and must outlive the device.
std::unique_ptr<Device> makeEmulatorDevice(Coverage *coverage = nullptr, RunRecord *record = nullptr,
                                           EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core
