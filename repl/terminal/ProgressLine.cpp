#include "repl/terminal/ProgressLine.h"

#include "core/data/Threads.h"
#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace lanescope::repl {

namespace {

constexpr std::chrono::milliseconds kPatience{1000}, kBetween{200};

int64_t terminalWidth() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

} // namespace

ProgressLine::~ProgressLine() {
  {
    std::scoped_lock lock(mutex_);
    ended_ = true;
    erase();
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void ProgressLine::clear(std::string_view next) {
  if (!terminal_)
    return;
  std::scoped_lock lock(mutex_);
  erase();
  if (!next.empty())
    atLineStart_ = next.ends_with('\n');
  notBefore_ = Clock::now() + kPatience;
}

void ProgressLine::erase() {
  if (!drawn_)
    return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void ProgressLine::draw() {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count();
  std::string counted = progress_.line();
  std::string words = visible(text("  ", counted.empty() ? "working" : counted, ", ", seconds, " s (Ctrl-C stops)"));
  if (int64_t width = terminalWidth() - 1; columnCount(words) > width)
    words = text(firstColumns(words, width - 1), "…");
  std::fprintf(stderr, "\r\033[K%s", words.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::show() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (!working_) {
      changed_.wait(lock);
      continue;
    }
    changed_.wait_for(lock, kBetween);
    if (working_ && !paused_ && !ended_ && atLineStart_ && Clock::now() >= notBefore_)
      draw();
  }
}

ProgressLine::Work::Work(ProgressLine &line) : line_(line) {
  if (!line_.terminal_)
    return;
  std::scoped_lock lock(line_.mutex_);
  line_.begin_ = Clock::now();
  line_.notBefore_ = line_.begin_ + kPatience;
  line_.working_ = true;
  line_.atLineStart_ = true;
  if (!line_.thread_.joinable()) // no thread could be started, so the work continues without the line
    (void)core::startThread(line_.thread_, [&line] { line.show(); });
  line_.changed_.notify_all();
}

ProgressLine::Work::~Work() {
  std::scoped_lock lock(line_.mutex_);
  line_.working_ = false;
  line_.erase();
}

ProgressLine::Pause::Pause(ProgressLine &line) : line_(line) {
  std::scoped_lock lock(line_.mutex_);
  line_.erase();
  line_.paused_ = true;
}

ProgressLine::Pause::~Pause() {
  std::scoped_lock lock(line_.mutex_);
  line_.paused_ = false;
  line_.notBefore_ = Clock::now() + kPatience;
}

} // namespace lanescope::repl
