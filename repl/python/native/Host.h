// The one session of a Python process, and how Python's threads, signals and output meet it.
//
//   Host &host = Host::get();
//   auto out = host.enter([&](repl::Evaluator &evaluator) { return evaluator.call(callee, arguments, span); });
//
// `enter` gives the interpreter lock away while the evaluator compiles, emulates or draws. One Python thread at a time
// is inside; a function of Python's that is called from inside may enter again.
#pragma once

#include "repl/python/native/PythonApi.h"
#include "repl/session/Session.h"

#include <concepts>
#include <mutex>
#include <type_traits>
#include <vector>

namespace lanescope::python {

class Host {
public:
  static Host &get();

  /// Runs `work(Evaluator &)` without the interpreter lock. Ctrl-C interrupts it where this is the main thread.
  template <typename Work> auto enter(const Work &work) {
    WithoutLock unlocked;
    std::lock_guard alone(mutex_);
    Listening listening(*this);
    return work(session_.evaluator());
  }
  /// For what is quick and calls nothing back: keeps the interpreter lock.
  repl::Evaluator &evaluator() { return session_.evaluator(); }
  repl::Session &session() { return session_; }

  /// Makes `raised`, the exception that a function of Python's has raised inside the evaluator, the failure of the
  /// evaluator's call. `takeRaised` gives it back to who called the evaluator, and null where there is none.
  std::unexpected<Diagnostics> failWithRaised(const Span &span);
  Ref takeRaised();

  /// Hazards and notes of this thread's kernels go to `findings` while it is there, and become Python's warnings
  /// otherwise.
  static thread_local Diagnostics *findings;
  static void remark(const Diagnostics &remarks);

private:
  Host();
  /// SIGINT interrupts the session, and is then Python's, for as long as the outermost call lasts.
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
