// Ctrl-C while a command runs: the first one stops the work, which then reports how far it came; the second one ends
// the process at once.
//
//   Interruption interruption;                       // SIGINT is ours until it goes out of scope
//   emulate(…, {.interrupted = interruption.flag()});
//   Interruption::Reaches reaches(session);          // stops what this session runs, too
//
// At most one at a time: signals belong to the process. Where SIGINT is ignored (`nohup`), it stays so.
#pragma once

#include <atomic>
#include <csignal>

namespace lanescope::repl {

class Session;

class Interruption {
public:
  Interruption();
  /// Ends the process by SIGINT where that came: a shell's loop around the command ends, too.
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
