// Starts threads, which may fail. `std::thread` reports a failure by an exception, which would end the process: for
// example if `ulimit -v` leaves no room for a stack, or if `ulimit -u` or a container's limit allows no further thread.
#pragma once

#include <functional>
#include <thread>

namespace lanescope::core {

/// Runs `body` on a new thread, which becomes `thread`. False if the system has no thread left.
[[nodiscard]] bool startThread(std::thread &thread, std::function<void()> body);

} // namespace lanescope::core
