// The emulator as a Device: what a GPU would refuse is refused here, with the same words.
#pragma once

#include "core/Device.h"

namespace lanescope::core {

std::unique_ptr<Device> makeEmulatorDevice();

} // namespace lanescope::core
