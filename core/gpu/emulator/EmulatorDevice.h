// The emulator as a Device. It refuses what a GPU refuses, with the same messages.
#pragma once

#include "core/Device.h"

namespace lanescope::core {

class Coverage;
struct EmulatorStatistics;
struct RunRecord;

/// `coverage` collects the coverage of all runs. `record` gets each instruction's work in the last run
/// (EmulatorOptions). `statistics` gets the last run's counts. Each of them may be null, and must outlive the device.
std::unique_ptr<Device> makeEmulatorDevice(Coverage *coverage = nullptr, RunRecord *record = nullptr,
                                           EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core
