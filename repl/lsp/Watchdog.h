// Stops a session when its time is over or when its answer is no longer wanted.
#pragma once

#include "repl/session/Session.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace lanescope::repl::lsp {

/// Watches the session for as long as the watchdog lives. An interrupt stops only the running entry, but a session runs
/// several entries, so the watchdog repeats the interrupt.
class Watchdog {
public:
  Watchdog(Session &session, double seconds, std::function<bool()> cancelled);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

  /// True if the watchdog stopped the session, for one reason or the other.
  bool expired() const { return late_ || unwanted_; }
  /// True if the watchdog stopped the session because the time was over.
  bool late() const { return late_; }

private:
  void watch(double seconds);

  Session &session_;
  std::function<bool()> cancelled_;
  std::atomic<bool> late_ = false, unwanted_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_; // last, since it uses the other members
};

} // namespace lanescope::repl::lsp
