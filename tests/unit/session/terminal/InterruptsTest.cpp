// Ctrl-C wakes a thread that waits for a key, whichever thread receives the signal.
#include "repl/terminal/Interrupts.h"
#include "repl/session/Session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

TEST(Interrupts, EndTheWaitForAKeyOnAnyThread) {
  Session session{{.kernels = {.device = "none"}}};
  Interrupts interrupts(session);
  int keys[2];
  ASSERT_EQ(pipe(keys), 0);
  // Only another thread can receive the signal, as may happen if it arrives just before this thread waits.
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done)
      poll(nullptr, 0, 1);
  });
  sigset_t ours, former;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ours, &former);
  std::thread presser([] {
    poll(nullptr, 0, 20);
    kill(getpid(), SIGINT);
  });
  while (!interrupts.take())
    EXPECT_FALSE(interrupts.waitForInput(keys[0]));
  presser.join();
  done = true;
  other.join();
  pthread_sigmask(SIG_SETMASK, &former, nullptr);

  ASSERT_EQ(write(keys[1], "k", 1), 1);
  while (!interrupts.waitForInput(keys[0])) // at most the rest of the signal's own wake-up
    EXPECT_FALSE(interrupts.take());
  close(keys[0]);
  close(keys[1]);
}

} // namespace
} // namespace lanescope::repl
