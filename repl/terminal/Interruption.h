// Ctrl-C while a command runs: the first one stops the work, which then reports its progress; the second one ends the
// process at once.
//
//   Interruption interruption;                       // handles SIGINT until it goes out of scope
//   emulate(…, {.interrupted = interruption.flag()});
//   Interruption::Reaches reaches(session);          // also stops this session's work
//
// At most one may exist at a time, since signals belong to the process. If SIGINT is ignored (`nohup`), it stays
// ignored.
#pragma once

#include <atomic>
#include <csignal>

namespace lanescope::repl {

class Session;

class Interruption {
public:
  Interruption();
  /// Ends the process by SIGINT if SIGINT came while it existed, so that a shell's loop around the command ends, too.
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  const std::atomic<bool> *flag() const;
  bool happened() const { return *flag(); }

  class Reaches {
  public:
    explicit Reaches(Session &session);
    ~Reaches();
    Reaches(const Reaches &) = delete;
    Reaches &operator=(const Reaches &) = delete;
  };

private:
  struct sigaction former_{};
};

} // namespace lanescope::repl
