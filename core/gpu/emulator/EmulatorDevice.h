// The emulator as a Device: what a GPU would refuse is refused here, with the same words.
#pragma once

#include "core/Device.h"

namespace lanescope::core {

class Coverage;
struct EmulatorStatistics;
struct RunRecord;

/// `coverage` gets what all runs have shown, `record` what each instruction of the last one has done (EmulatorOptions),
/// `statistics` what the last one counted; they outlive the device and may be null.
std::unique_ptr<Device> makeEmulatorDevice(Coverage *coverage = nullptr, RunRecord *record = nullptr,
                                           EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core
