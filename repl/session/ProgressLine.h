// One line on the terminal that says how far a long command is: it appears after a second, changes in place, and is
// gone before anything else is written.
//
//   ProgressLine line(isatty(STDERR_FILENO));
//   ProgressLine::Work work(line);              // for as long as it takes
//   emulate(…, {.progress = &line.progress()}); // counts
//   line.clear("text\n");                       // before the text goes to the terminal
#pragma once

#include "core/data/Progress.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

namespace lanescope::repl {

class ProgressLine {
public:
  /// Writes to standard error. `terminal`: false where that is no terminal, and nothing is ever shown.
  explicit ProgressLine(bool terminal) : terminal_(terminal) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  core::Progress &progress() { return progress_; }
  /// Takes the line off the terminal. `next` is about to be written there: unless it ends its line, no progress is
  /// shown until something does.
  void clear(std::string_view next);

  /// Something that may take long.
  class Work {
  public:
    explicit Work(ProgressLine &line);
    ~Work();
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

  private:
    ProgressLine &line_;
  };
  /// The user is asked something meanwhile.
  class Pause {
  public:
    explicit Pause(ProgressLine &line);
    ~Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    ProgressLine &line_;
  };

private:
  using Clock = std::chrono::steady_clock;
  void show();
  void draw();
  void erase();

  core::Progress progress_;
  const bool terminal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  Clock::time_point begin_, notBefore_;
  bool working_ = false, paused_ = false, ended_ = false;
  bool drawn_ = false, atLineStart_ = true;
};

} // namespace lanescope::repl
