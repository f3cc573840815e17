// Our side of the worker's protocol: starts the worker's process when it is needed, again after it ended, and turns
// every way in which it can fail into an error that says what to do.
#pragma once

#include "core/gpu/runtime/Messages.h"
#include "core/gpu/runtime/Process.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::core {

struct WorkerTimeouts {
  double start = 120;   // seconds until it says hello: a batch system may take its time
  double silence = 120; // without a sign of life, other than while the kernel runs
  double grace = 15;    // beyond the kernel's own time limit, which the worker watches
  double notice = 3;    // without a sign of life until that is said; again after twice as long, and so on
};

/// Gets a line for the user while a worker is silent: which one, what it was doing, since when. May be null.
using WaitingNotice = std::function<void(const std::string &line)>;

/// Not for use from several threads at once.
class WorkerClient {
public:
  /// `arguments`: the command and its arguments. Nothing is started yet.
  explicit WorkerClient(std::vector<std::string> arguments, WorkerTimeouts timeouts = {},
                        WaitingNotice waiting = nullptr);
  /// What the worker says about itself; starts it. Errors: "worker-gone", "worker-protocol", "worker-timeout",
  /// "interrupted", "process".
  Result<Hello> hello(const std::atomic<bool> *interrupted = nullptr);
  /// The same errors, "no-gpu", and those of Gpu::run.
  Result<RunReply> run(const RunRequest &request, const std::atomic<bool> *interrupted);
  void stop() { process_.reset(); }

private:
  /// How long the worker has been silent, and whether that was said.
  class Silence;

  Result<Message> exchange(const OutgoingFrame &request, double timeoutSeconds, const std::atomic<bool> *interrupted);
  using ToSend = std::deque<std::span<const std::byte>>;
  void pump(ToSend &toSend);
  std::unexpected<Diagnostics> ended(ToSend &toSend);
  std::unexpected<Diagnostics> lost(std::string kind, std::string message);
  std::vector<Note> notes() const;
  std::string commandText() const;

  std::vector<std::string> arguments_;
  WorkerTimeouts timeouts_;
  WaitingNotice waiting_;
  std::unique_ptr<Process> process_;
  std::optional<Hello> hello_;
  FrameReader reader_;
  std::vector<std::byte> received_; // room for what comes
  std::string errors_;              // the last of what it wrote to standard error
  std::string stage_;               // what it does now
  bool active_ = false;
  bool spoke_ = false; // this process has written something to standard output
};

/// The arguments that start `command` (through the shell), or the worker beside this program if it is empty.
std::vector<std::string> workerArguments(const std::string &command);

} // namespace lanescope::core
