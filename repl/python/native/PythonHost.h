// The one session of a Python process, and its connection to Python's threads, signals and output.
//
//   Host &host = Host::get();
//   auto out = host.enter([&](repl::Evaluator &evaluator) { return evaluator.call(callee, arguments, span); });
//
// `enter` releases the interpreter lock while the evaluator compiles, emulates or draws. One Python thread at a time is
// inside. A Python function that the evaluator calls may enter again.
#pragma once

#include "repl/python/native/PythonApi.h"
#include "repl/session/Session.h"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <vector>

namespace lanescope::python {

class Host {
public:
  static Host &get();

  /// Runs `work(Evaluator &)` without the interpreter lock. On the main thread, Ctrl-C interrupts the work.
  template <typename Work> auto enter(const Work &work) {
    WithoutLock unlocked;
    std::lock_guard alone(mutex_);
    Listening listening(*this);
    return work(session_.evaluator());
  }
  /// The evaluator for quick work that calls no Python function. The interpreter lock is kept.
  repl::Evaluator &evaluator() { return session_.evaluator(); }
  repl::Session &session() { return session_; }

  /// Keeps the exception that a Python function has raised inside the evaluator, and returns the failure of the
  /// evaluator's call. The evaluator's caller gets the exception from takeRaised(), which returns null if there is
  /// none.
  std::unexpected<Diagnostics> failWithRaised(const Span &span);
  Ref takeRaised();

  /// While `findings` is set, it receives the hazards and notes of this thread's kernels. Otherwise they become Python
  /// warnings.
  static thread_local Diagnostics *findings;
  static std::atomic<uint64_t> launches; // the number of kernel launches in this process
  static void remark(const Diagnostics &remarks);

private:
  Host();
  /// While the outermost call lasts, SIGINT interrupts the session. Python's own handler runs afterwards.
  class Listening {
  public:
    explicit Listening(Host &host);
    ~Listening();
    Listening(const Listening &) = delete;
    Listening &operator=(const Listening &) = delete;

  private:
    Host &host_;
    bool installed_ = false;
  };

  std::recursive_mutex mutex_;
  int depth_ = 0;
  std::vector<Ref> raised_;
  repl::Session session_;
};

} // namespace lanescope::python
