// A child process with pipes for its standard streams. Neither its output nor its death can end this process or leave a
// zombie.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lanescope::core {

class Process {
public:
  /// Starts `arguments[0]`, searched in PATH. Errors: "process".
  static Result<Process> start(const std::vector<std::string> &arguments);
  Process(Process &&other) noexcept;
  Process &operator=(Process &&) = delete;
  /// Closes the streams, waits a moment for the child to end, then kills it.
  ~Process();

  // Non-blocking descriptors; −1 once closed.
  int input() const { return input_; }   // a socket: write with send(…, MSG_NOSIGNAL)
  int output() const { return output_; } // the child's standard output
  int errors() const { return errors_; } // the child's standard error
  void closeInput();
  void closeOutput();
  void closeErrors();
  void kill();
  /// Interrupts the child as Ctrl-C in a terminal does.
  void interrupt();
  /// Waits at most `seconds` for the child's end. Returns how it ended ("exit status 1", "signal 9"); empty: not yet.
  std::string awaitEnd(double seconds);
  /// Valid once awaitEnd has reported the end: the exit status, or −1 after a signal.
  int exitStatus() const { return exitStatus_; }

private:
  Process(pid_t pid, int input, int output, int errors) : pid_(pid), input_(input), output_(output), errors_(errors) {}
  pid_t pid_;
  int input_, output_, errors_;
  std::string ended_;
  int exitStatus_ = -1;
};

struct CommandResult {
  int status = 0; // −1: ended by a signal or the time limit
  std::string output, errors;
};
/// Runs a command to its end. Errors: "process": it does not start, or takes longer than `seconds`.
Result<CommandResult> runCommand(const std::vector<std::string> &arguments, double seconds,
                                 std::string_view input = {});

/// The path of an executable in PATH or one of `folders`; empty: none.
std::string findProgram(const std::string &name, std::span<const std::string> folders = {});

} // namespace lanescope::core
