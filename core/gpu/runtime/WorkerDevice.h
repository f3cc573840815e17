// A GPU as a Device: the one that a worker process owns.
#pragma once

#include "core/Device.h"

#include <functional>

namespace lanescope::core {

/// `command`: what to start as the worker ("ssh gpu1 lanescope-worker"); empty: the worker beside this program.
/// The process starts on the first run and again after a crash. `waiting` gets a line for the user while the worker is
/// silent; it may be null.
std::unique_ptr<Device> makeWorkerDevice(std::string command,
                                         std::function<void(const std::string &line)> waiting = nullptr);

} // namespace lanescope::core
