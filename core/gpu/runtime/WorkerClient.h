// Our side of the worker's protocol. It starts the worker's process when needed, and again after it ended, and turns
// each kind of failure into an error with advice.
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
  double start = 120;   // seconds until the first message; a batch system may take its time
  double silence = 120; // seconds without a message, except while the kernel runs
  double grace = 15;    // seconds beyond the kernel's own time limit, which the worker enforces
  /// Seconds of silence before the user gets a notice; the next notice comes after twice as long, and so on.
  double notice = 3;
};

/// Receives a line for the user while a worker is silent: which one, its activity, and since when. May be null.
using WaitingNotice = std::function<void(const std::string &line)>;

/// Not safe for concurrent use.
class WorkerClient {
public:
  /// `arguments`: the command and its arguments. Starts nothing yet.
  explicit WorkerClient(std::vector<std::string> arguments, WorkerTimeouts timeouts = {},
                        WaitingNotice waiting = nullptr);
  /// Starts the worker and returns its self-description. Errors: "worker-gone", "worker-protocol", "worker-timeout",
  /// "interrupted", "process".
  Result<Hello> hello(const std::atomic<bool> *interrupted = nullptr);
  /// Runs the request. Errors: those of hello(), "no-gpu", and those of Gpu::run.
  Result<RunReply> run(const RunRequest &request, const std::atomic<bool> *interrupted);
  void stop() { process_.reset(); }

private:
  /// Measures the worker's silence, and reports it.
  class Silence;

  Result<WorkerMessage> exchange(const OutgoingFrame &request, double timeoutSeconds,
                                 const std::atomic<bool> *interrupted);
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
  Bytes received_;     // buffer for received bytes
  std::string errors_; // the end of its standard error
  std::string stage_;  // its current activity
  bool active_ = false;
  bool spoke_ = false; // the process has already written to standard output
};

/// The arguments that start `command` through the shell, or the worker beside this program if it is empty.
std::vector<std::string> workerArguments(const std::string &command);

} // namespace lanescope::core
