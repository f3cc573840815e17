#include "core/gpu/runtime/Process.h"

#include "core/gpu/runtime/ChildStart.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lanescope::core {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFarewellSeconds = 0.5;
constexpr auto kPoll = std::chrono::milliseconds(2);

void closeDescriptor(int &descriptor) {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

} // namespace

Result<Process> Process::start(const std::vector<std::string> &arguments) {
  // Standard input is a socket pair, because a write to a socket whose other end is closed can be kept from raising
  // SIGPIPE.
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 || ::pipe2(out, O_CLOEXEC) != 0 ||
      ::pipe2(err, O_CLOEXEC) != 0) {
    int problem = errno;
    for (int *pair : {in, out, err})
      for (int i = 0; i < 2; ++i)
        closeDescriptor(pair[i]);
    return error("process", Message("cannot start `{}`: {}", arguments[0], std::strerror(problem)));
  }
  // Arrays are sent in both directions, so large buffers reduce wakeups. The system may allow less than this.
  constexpr int kRoom = 1 << 20;
  ::setsockopt(in[0], SOL_SOCKET, SO_SNDBUF, &kRoom, sizeof kRoom);
  ::fcntl(out[0], F_SETPIPE_SZ, kRoom);
  Result<pid_t> pid = startChild(arguments, {in[1], out[1], err[1]});
  for (int *child : {&in[1], &out[1], &err[1]})
    closeDescriptor(*child);
  if (!pid) {
    for (int *ours : {&in[0], &out[0], &err[0]})
      closeDescriptor(*ours);
    return std::unexpected(pid.error());
  }
  for (int ours : {in[0], out[0], err[0]})
    ::fcntl(ours, F_SETFL, ::fcntl(ours, F_GETFL) | O_NONBLOCK);
  return Process(*pid, in[0], out[0], err[0]);
}

Process::Process(Process &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)), input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)), errors_(std::exchange(other.errors_, -1)),
      ended_(std::move(other.ended_)), exitStatus_(other.exitStatus_) {}

Process::~Process() {
  closeInput();
  closeOutput();
  closeErrors();
  if (pid_ < 0)
    return;
  if (awaitEnd(kFarewellSeconds).empty()) {
    kill();
    awaitEnd(kFarewellSeconds);
  }
}

void Process::closeInput() { closeDescriptor(input_); }
void Process::closeOutput() { closeDescriptor(output_); }
void Process::closeErrors() { closeDescriptor(errors_); }

void Process::kill() {
  if (pid_ > 0 && ended_.empty())
    ::kill(pid_, SIGKILL);
}

void Process::interrupt() {
  if (pid_ > 0 && ended_.empty())
    ::kill(pid_, SIGINT);
}

std::string Process::awaitEnd(double seconds) {
  Clock::time_point deadline = after(seconds);
  while (ended_.empty() && pid_ > 0) {
    int status = 0;
    pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == pid_) {
      exitStatus_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      ended_ = WIFEXITED(status)     ? text("exit status ", WEXITSTATUS(status))
               : WIFSIGNALED(status) ? text("signal ", WTERMSIG(status), ", ", strsignal(WTERMSIG(status)))
                                     : "an unknown reason";
    } else if (got < 0 && errno != EINTR) {
      ended_ = "an unknown reason"; // another caller of waitpid has collected the child's status
    } else {
      if (Clock::now() >= deadline)
        break;
      std::this_thread::sleep_for(kPoll);
    }
  }
  return ended_;
}

Result<CommandResult> runCommand(const std::vector<std::string> &arguments, double seconds, std::string_view input) {
  Result<Process> process = Process::start(arguments);
  if (!process)
    return std::unexpected(process.error());
  CommandResult result;
  Clock::time_point deadline = after(seconds);
  if (input.empty())
    process->closeInput();
  while (process->output() >= 0 || process->errors() >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      process->kill();
      return error("process", Message("`{}` did not end within {} s", arguments[0], static_cast<int64_t>(seconds)));
    }
    pollfd polled[] = {{process->output(), POLLIN, 0}, {process->errors(), POLLIN, 0}, {process->input(), POLLOUT, 0}};
    if (::poll(polled, 3, static_cast<int>(std::min<int64_t>(left, 1000))) < 0 && errno != EINTR)
      break;
    char piece[65536];
    for (int i = 0; i < 2; ++i) {
      if (!(polled[i].revents & (POLLIN | POLLHUP | POLLERR)))
        continue;
      ssize_t got = ::read(polled[i].fd, piece, sizeof piece);
      if (got > 0)
        (i == 0 ? result.output : result.errors).append(piece, static_cast<size_t>(got));
      else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        i == 0 ? process->closeOutput() : process->closeErrors();
    }
    if (polled[2].revents & (POLLOUT | POLLHUP | POLLERR)) {
      ssize_t sent = ::send(process->input(), input.data(), input.size(), MSG_NOSIGNAL);
      if (sent >= 0)
        input.remove_prefix(static_cast<size_t>(sent));
      if (input.empty() || (sent < 0 && errno != EINTR && errno != EAGAIN))
        process->closeInput();
    }
  }
  double left = std::chrono::duration<double>(deadline - Clock::now()).count();
  if (process->awaitEnd(std::max(left, 0.1)).empty())
    return error("process", Message("`{}` did not end within {} s", arguments[0], static_cast<int64_t>(seconds)));
  result.status = process->exitStatus();
  return result;
}

std::string findProgram(const std::string &name, std::span<const std::string> folders) {
  std::vector<std::string> places(folders.begin(), folders.end());
  const char *path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0)
      places.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::string &place : places) {
    std::string file = text(place, "/", name);
    std::error_code problem;
    if (std::filesystem::is_regular_file(file, problem) && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return "";
}

} // namespace lanescope::core
