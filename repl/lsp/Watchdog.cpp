#include "repl/lsp/Watchdog.h"

#include <chrono>

namespace lanescope::repl::lsp {

Watchdog::Watchdog(Session &session, double seconds, std::function<bool()> cancelled)
    : session_(session), cancelled_(std::move(cancelled)), thread_([this, seconds] { watch(seconds); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Watchdog::watch(double seconds) {
  constexpr auto kInterval = std::chrono::milliseconds(5);
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kInterval, [this] { return end_; })) {
    if (cancelled_ && cancelled_())
      unwanted_ = true;
    else if (std::chrono::steady_clock::now() >= deadline)
      late_ = true;
    if (expired())
      session_.interrupt();
  }
}

} // namespace lanescope::repl::lsp
