#include "core/gpu/runtime/SessionWatch.h"

#include <csignal>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <unistd.h>

namespace lanescope::core {

namespace {

constexpr int kFarewellMilliseconds = 300; // time for the driver to clean up
constexpr int kMostDescriptors = 4096;     // closed one by one if the kernel lacks close_range

void closeFrom(unsigned first) {
  if (::close_range(first, ~0u, 0) == 0)
    return;
  for (int descriptor = static_cast<int>(first); descriptor < kMostDescriptors; ++descriptor)
    ::close(descriptor);
}

/// Runs the watching process. It makes only async-signal-safe calls, because it is a fork of a process with threads.
[[noreturn]] void watch(pid_t worker, int alive) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU})
    // These signals may stop or end the worker's process group, but this process must survive them.
    ::signal(signal, SIG_IGN);
  ::dup2(alive, STDOUT_FILENO); // so that no other process keeps the worker's answers open
  closeFrom(STDERR_FILENO);
  pollfd watched[] = {{STDIN_FILENO, POLLRDHUP, 0}, {STDOUT_FILENO, 0, 0}};
  while (::poll(watched, 2, -1) <= 0 || (watched[0].revents == 0 && watched[1].revents == 0))
    ;
  if (watched[1].revents == 0 && ::poll(watched + 1, 1, kFarewellMilliseconds) == 0)
    ::kill(worker, SIGKILL);
  ::_exit(0);
}

} // namespace

void SessionWatch::begin() {
  int ends[2];
  if (alive_ >= 0 || ::pipe2(ends, O_CLOEXEC) != 0)
    return;
  pid_t self = ::getpid();
  pid_t watcher = ::fork();
  if (watcher == 0) {
    ::close(ends[1]);
    watch(self, ends[0]);
  }
  ::close(ends[0]);
  if (watcher < 0)
    ::close(ends[1]);
  else
    alive_ = ends[1];
}

SessionWatch::~SessionWatch() {
  if (alive_ >= 0)
    ::close(alive_);
}

} // namespace lanescope::core
