// Ctrl-C while a REPL runs: stops the running evaluation, or drops the line that is being typed.
//
//   Interrupts interrupts(session);           // handles SIGINT until it goes out of scope
//   if (interrupts.take()) ...                // Ctrl-C was pressed since the last call
//
// At most one may exist at a time, since signals belong to the process.
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

  /// True if SIGINT came since the last call.
  bool take();
  /// True if the terminal's size changed since the last call.
  bool takeResize();
  /// Waits until `file` can be read, and returns true. Returns false if a signal comes first, or came just before the
  /// call.
  bool waitForInput(int file);

private:
  struct sigaction formerInterrupt_{};
  struct sigaction formerResize_{};
};

} // namespace lanescope::repl
