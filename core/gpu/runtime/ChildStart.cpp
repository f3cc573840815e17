#include "core/gpu/runtime/ChildStart.h"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lanescope::core {

namespace {

constexpr int kCannotStart = 127; // the status that shells use

/// A child to start, and the result.
struct Order {
  char **argv;
  std::array<int, 3> streams;
  pid_t pid = -1;
  int problem = 0; // errno
  bool done = false;
};

/// The child's code between fork and exec, limited to async-signal-safe calls. If a call fails, it sends errno to the
/// parent.
[[noreturn]] void becomeChild(const Order &order, pid_t parent, int report) {
  auto giveUp = [&] {
    int problem = errno;
    (void)!::write(report, &problem, sizeof problem);
    ::_exit(kCannotStart);
  };
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    giveUp();
  if (::getppid() != parent) // the parent has ended before the call above, so no signal would come
    ::_exit(kCannotStart);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    if (signal != SIGINT)
      ::sigaction(signal, &standard, nullptr); // fails for SIGKILL and SIGSTOP
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::array<int, 3> streams = order.streams;
  for (int &stream :
       // Moves the descriptor above 2. It may be 0, 1 or 2 if this program began without some of the standard streams.
       streams)
    if ((stream = ::fcntl(stream, F_DUPFD_CLOEXEC, 3)) < 0)
      giveUp();
  for (int number = 0; number < 3; ++number)
    if (::dup2(streams[static_cast<size_t>(number)], number) < 0)
      giveUp();
  ::execvp(order.argv[0], order.argv);
  giveUp();
  ::_exit(kCannotStart);
}

void start(Order &order) {
  int report[2]; // a pipe for the error number; a successful exec closes its end
  if (::pipe2(report, O_CLOEXEC) != 0) {
    order.problem = errno;
    return;
  }
  pid_t self = ::getpid();
  order.pid = ::fork();
  if (order.pid == 0)
    becomeChild(order, self, report[1]);
  if (order.pid < 0)
    order.problem = errno;
  ::close(report[1]);
  int problem = 0;
  ssize_t got;
  do
    got = ::read(report[0], &problem, sizeof problem);
  while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof problem))
    order.problem = problem;
  ::close(report[0]);
}

/// The thread that starts all children. The kernel sends the parent-death signal when the *thread* that started a child
/// ends, so this thread must live as long as the program.
class Starter {
public:
  static Starter &instance() {
    static auto *starter = new Starter; // never destroyed: its thread runs until the program ends
    return *starter;
  }

  void run(Order &order) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return order_ == nullptr; });
    order_ = &order;
    changed_.notify_all();
    changed_.wait(lock, [&] { return order.done; });
  }

private:
  Starter() {
    // The program's other threads handle signals.
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { serve(); }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return order_ != nullptr; });
      start(*order_);
      order_->done = true;
      order_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Order *order_ = nullptr;
};

} // namespace

Result<pid_t> startChild(const std::vector<std::string> &arguments, std::array<int, 3> streams) {
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  Order order{argv.data(), streams};
  Starter::instance().run(order);
  if (order.problem == 0)
    return order.pid;
  if (order.pid > 0)
    ::waitpid(order.pid, nullptr, 0);
  return error("process", Message("cannot start `{}`: {}", arguments[0], std::strerror(order.problem)));
}

} // namespace lanescope::core
