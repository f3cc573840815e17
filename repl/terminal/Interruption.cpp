#include "repl/terminal/Interruption.h"

#include "repl/session/Session.h"

#include <cstdio>

namespace lanescope::repl {

namespace {

// These variables are lock-free, so the signal handler may use them.
std::atomic<bool> stopping{false};
std::atomic<Session *> reached{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Session *>::is_always_lock_free);

void stopWork(int) {
  stopping.store(true, std::memory_order_relaxed);
  if (Session *session = reached.load(std::memory_order_relaxed))
    session->interrupt();
}

} // namespace

Interruption::Interruption() {
  stopping = false;
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_handler = stopWork;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // the second signal ends the process
  sigaction(SIGINT, nullptr, &former_);
  if (former_.sa_handler != SIG_IGN)
    sigaction(SIGINT, &action, nullptr);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &former_, nullptr);
  if (!stopping)
    return;
  std::fflush(nullptr); // the default action of a signal does not flush output
  std::raise(SIGINT);
}

const std::atomic<bool> *Interruption::flag() const { return &stopping; }

Interruption::Reaches::Reaches(Session &session) {
  reached = &session;
  if (stopping) // the signal came before this call
    session.interrupt();
}

Interruption::Reaches::~Reaches() { reached = nullptr; }

} // namespace lanescope::repl
