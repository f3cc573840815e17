// The standard library reports errors of threads by exceptions, so this file is compiled with them. No exception leaves
// it.
#include "core/data/Threads.h"

#include <system_error>

namespace lanescope::core {

bool startThread(std::thread &thread, std::function<void()> body) {
  try {
    thread = std::thread(std::move(body));
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

} // namespace lanescope::core
