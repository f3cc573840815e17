// Defines the parts of the standard library that Debian's libc++ for WebAssembly lacks: locks and threads, which a
// module with one thread does not need. So the sources are compiled for the page without a change. The compiler
// includes this file before each source of kernels.wasm (CMakeLists.txt). The standard forbids definitions in `std`;
// the library leaves these out as a whole, so nothing is defined twice.
#pragma once

#include <mutex>

namespace std {

class mutex {
public:
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};

class condition_variable {
public:
  void notify_one() {}
  void notify_all() {}
  /// With one thread, a condition that is false stays false. So the caller makes sure that it is true.
  template <class Lock, class Condition> void wait(Lock &, Condition) {}
};

/// Never runs: startThread() reports that the system has no thread.
class thread {
public:
  static unsigned hardware_concurrency() { return 1; }
  bool joinable() const { return false; }
  void join() {}
};

namespace this_thread {
template <class Duration> void sleep_for(Duration) {}
} // namespace this_thread

} // namespace std
