// Stops a session when its time is over or its answer is no longer wanted.
#pragma once

#include "repl/session/Session.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace lanescope::repl::lsp {

/// Watches the session for as long as the watchdog lives. An interrupt reaches only the entry that runs, and a session
/// runs several, so the watchdog repeats it.
class Watchdog {
public:
  Watchdog(Session &session, double seconds, std::function<bool()> cancelled);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

  /// True if the watchdog stopped the session, for either reason.
  bool expired() const { return late_ || unwanted_; }
  /// True if it stopped the session because the time was over.
  bool late() const { return late_; }

private:
  void watch(double seconds);

  Session &session_;
  std::function<bool()> cancelled_;
  std::atomic<bool> late_ = false, unwanted_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_; // last: it uses the rest
};

} // namespace lanescope::repl::lsp
