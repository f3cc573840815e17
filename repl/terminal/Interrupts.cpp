#include "repl/terminal/Interrupts.h"

#include "repl/session/Session.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

// These variables are lock-free, so the signal handlers may use them.
std::atomic<Session *> theSession{nullptr};
std::atomic<bool> interrupted{false}, resized{false};
static_assert(std::atomic<Session *>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
// A pipe. A byte in it wakes waitForInput(). The signal alone might not wake it, since another thread may receive the
// signal.
int wakeRead = -1, wakeWrite = -1;

void wake() {
  int before = errno;
  [[maybe_unused]] ssize_t written = ::write(wakeWrite, "", 1); // a full pipe wakes the reader, too
  errno = before;
}

void onInterrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  if (Session *session = theSession.load(std::memory_order_relaxed))
    session->interrupt();
  wake();
}

void onResize(int) {
  resized.store(true, std::memory_order_relaxed);
  wake();
}

} // namespace

Interrupts::Interrupts(Session &session) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0)
    wakeRead = ends[0],
    wakeWrite = ends[1]; // without a pipe (no descriptor is left), the signal itself usually ends the wait
  theSession = &session;
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_handler = onInterrupt; // SA_RESTART is not set, so that a signal ends a waiting read
  sigaction(SIGINT, &action, &formerInterrupt_);
  action.sa_handler = onResize;
  sigaction(SIGWINCH, &action, &formerResize_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &formerInterrupt_, nullptr);
  sigaction(SIGWINCH, &formerResize_, nullptr);
  theSession = nullptr;
  for (int *end : {&wakeRead, &wakeWrite})
    if (*end >= 0)
      ::close(std::exchange(*end, -1));
}

bool Interrupts::take() { return interrupted.exchange(false, std::memory_order_relaxed); }
bool Interrupts::takeResize() { return resized.exchange(false, std::memory_order_relaxed); }

bool Interrupts::waitForInput(int file) {
  pollfd wanted[] = {{.fd = file, .events = POLLIN, .revents = 0}, {.fd = wakeRead, .events = POLLIN, .revents = 0}};
  if (interrupted || resized || ::poll(wanted, 2, -1) <= 0)
    return false;
  if (wanted[1].revents == 0)
    return true;
  for (char byte; ::read(wakeRead, &byte, 1) > 0;)
    ;
  return false;
}

} // namespace lanescope::repl
