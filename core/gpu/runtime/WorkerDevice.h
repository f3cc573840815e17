// A GPU as a Device: the one that a worker process owns.
#pragma once

#include "core/Device.h"

namespace lanescope::core {

/// `command`: what to start as the worker ("ssh gpu1 lanescope-worker"); empty: the worker beside this program.
/// The process starts on the first run and again after a crash.
std::unique_ptr<Device> makeWorkerDevice(std::string command);

} // namespace lanescope::core
