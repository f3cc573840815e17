// One line on the terminal that shows the progress of a long command. It appears after a second, changes in place, and
// is erased before anything else is written.
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
  /// The line is written to standard error. If that is no terminal (`terminal` is false), nothing is shown.
  explicit ProgressLine(bool terminal) : terminal_(terminal) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  core::Progress &progress() { return progress_; }
  /// Erases the line before `next` is written to the terminal. If `next` does not end its line, no progress is shown
  /// until a later text does.
  void clear(std::string_view next);

  /// Shows the line while the object lives, for work that may take long.
  class Work {
  public:
    explicit Work(ProgressLine &line);
    ~Work();
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

  private:
    ProgressLine &line_;
  };
  /// Hides the line while the object lives, because the user is asked something.
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
