#include "repl/session/Interrupts.h"

#include "repl/session/Session.h"

#include <atomic>

#include <poll.h>

namespace lanescope::repl {
namespace {

// What the handlers reach: lock-free, so safe there.
std::atomic<Session *> theSession{nullptr};
std::atomic<bool> interrupted{false}, resized{false};
static_assert(std::atomic<Session *>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void onInterrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  if (Session *session = theSession.load(std::memory_order_relaxed))
    session->interrupt();
}

void onResize(int) { resized.store(true, std::memory_order_relaxed); }

} // namespace

Interrupts::Interrupts(Session &session) {
  theSession = &session;
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_handler = onInterrupt; // without SA_RESTART: a waiting read ends
  sigaction(SIGINT, &action, &formerInterrupt_);
  action.sa_handler = onResize;
  sigaction(SIGWINCH, &action, &formerResize_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &formerInterrupt_, nullptr);
  sigaction(SIGWINCH, &formerResize_, nullptr);
  theSession = nullptr;
}

bool Interrupts::take() { return interrupted.exchange(false, std::memory_order_relaxed); }
bool Interrupts::takeResize() { return resized.exchange(false, std::memory_order_relaxed); }

bool Interrupts::waitForInput(int file) {
  // Signals are let in during ppoll alone, so that none slips in between the look at the flags and the wait.
  sigset_t ours, former;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGWINCH);
  pthread_sigmask(SIG_BLOCK, &ours, &former);
  bool readable = false;
  if (!interrupted && !resized) {
    pollfd wanted{.fd = file, .events = POLLIN, .revents = 0};
    readable = ppoll(&wanted, 1, nullptr, &former) > 0;
  }
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  return readable;
}

} // namespace lanescope::repl
