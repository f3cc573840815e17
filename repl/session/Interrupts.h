// Ctrl-C while a REPL runs: stops the evaluation that is running, or drops the line that is being typed.
//
//   Interrupts interrupts(session);           // SIGINT is ours until it goes out of scope
//   if (interrupts.take()) ...                // Ctrl-C was pressed since the last look
//
// At most one at a time: signals belong to the process.
#pragma once

#include <csignal>

namespace lanescope::repl {

class Session;

class Interrupts {
public:
  explicit Interrupts(Session &session);
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;
  Interrupts &operator=(const Interrupts &) = delete;

  /// Whether SIGINT came since the last call.
  bool take();
  /// Whether the terminal's size changed since the last call.
  bool takeResize();
  /// Waits until `file` can be read: true; false when a signal came instead, also one that came just before.
  bool waitForInput(int file);

private:
  struct sigaction formerInterrupt_{};
  struct sigaction formerResize_{};
};

} // namespace lanescope::repl
