// Threads that may fail to start. `std::thread` reports that by an exception, which would end the process: where
// `ulimit -v` leaves no room for a stack, or `ulimit -u` and a container's limit no thread.
#pragma once

#include <functional>
#include <thread>

namespace lanescope::core {

/// Runs `body` on a thread of its own, which `thread` then is. False where the system has none left.
[[nodiscard]] bool startThread(std::thread &thread, std::function<void()> body);

} // namespace lanescope::core
