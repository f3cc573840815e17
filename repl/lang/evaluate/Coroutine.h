// A function that runs on a stack of its own and may stop in the middle.
//
//   Coroutine steps([](Coroutine &self) { first(); self.suspend(); second(); });
//   steps.resume();    // first()
//   steps.resume();    // second(); steps.finished()
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace lanescope::repl {

class Coroutine {
public:
  explicit Coroutine(std::function<void(Coroutine &)> body);
  /// The body has ended, or has not begun: what it holds on its stack is its own to give back.
  ~Coroutine();
  Coroutine(const Coroutine &) = delete;
  Coroutine &operator=(const Coroutine &) = delete;

  /// Runs the body until it suspends or ends.
  void resume();
  /// Back to who resumed it; to be called by the body.
  void suspend();
  bool started() const { return started_; }
  bool finished() const { return finished_; }
  /// Where its stack begins, and how far down the body may use it.
  const char *stackTop() const;
  static constexpr ptrdiff_t kUsableBytes = 3 << 20;

private:
  static void run();

  struct Stacks;
  std::function<void(Coroutine &)> body_;
  std::unique_ptr<Stacks> stacks_;
  bool started_ = false, finished_ = false;
};

} // namespace lanescope::repl
