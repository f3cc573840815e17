// A GPU as a Device, through a worker process.
#pragma once

#include "core/Device.h"

#include <functional>

namespace lanescope::core {

/// `command`: starts the worker ("ssh gpu1 lanescope-worker"); empty: the worker beside this program. The process is
/// started by the first run, and again after a crash. `waiting` receives a line for the user while the worker is
/// silent; it may be null.
std::unique_ptr<Device> makeWorkerDevice(std::string command,
                                         std::function<void(const std::string &line)> waiting = nullptr);

} // namespace lanescope::core
