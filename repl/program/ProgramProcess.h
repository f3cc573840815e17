// A program in a CPython process of its own, which has imported what the program needs before it is asked to run it.
//
//   auto process = ProgramProcess::start(python->command(hostWords({"numpy"})));   // returns at once
//   ProgramEnd end = process->run({.path = "a.py", .text = text}, {.output = …, .call = …}, stop);
//
// A process runs one program and ends. Whatever it does, hanging, dying, flooding or speaking something else, ends as a
// ProgramEnd; the process ends with this one. docs/worker-protocol.md lists what is said.
#pragma once

#include "core/gpu/runtime/Process.h"
#include "repl/program/CallMessage.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace lanescope::repl {

inline constexpr size_t kMostOutput = 1 << 20;                 // bytes of a program's output that are taken, of one run
inline constexpr size_t kMostCalls = 256;                      // of one run that are taken
inline constexpr uint64_t kMostTakenBytes = uint64_t{2} << 30; // of arrays and texts of one run's calls
inline constexpr double kStopSeconds = 1;                      // from Ctrl-C to the end of a program that goes on

struct ProgramRequest {
  std::string path, text;             // the text is run, whatever the file holds by then
  std::vector<std::string> arguments; // its own
  std::string arch;                   // kernels are compiled for it; empty: the package's usual one
  core::Emulation emulation;
  double timeLimit = 20;   // seconds that one run of a kernel may take
  bool markValues = false; // compile kernels for a debugger
};

/// How a run ended.
struct ProgramEnd {
  int status = 0;           // the program's exit status; 1 where a kernel is at fault, or it did not end by itself
  Diagnostics problems;     // its exception, at its line; how it died
  bool faulted = false;     // the exception is a kernel's fault, which the call's findings tell
  bool interrupted = false; // it was stopped
  uint64_t calls = 0, faults = 0; // of kernels
  uint64_t leftOut = 0;           // calls that were not taken: equal ones, and those above the limits
};

/// Called on the thread that calls run().
struct ProgramEvents {
  std::function<void(std::string)> output; // standard output and error, as they come
  std::function<void(KernelLaunch)> call;
};

/// The words behind `python3 -m lanescope`; `preload`: modules to import before the program is known.
std::vector<std::string> hostWords(const std::vector<std::string> &preload);
/// The modules that a program's process may import ahead: those that the text imports, but none of its folder, and none
/// where the text sets variables of the environment, which modules may read when they are imported.
std::vector<std::string> preloadOf(const std::string &path, std::string_view text);

class ProgramProcess {
public:
  /// Errors: "process".
  static Result<ProgramProcess> start(const std::vector<std::string> &command);
  /// Whether it still waits for a program.
  bool alive() { return process_.awaitEnd(0).empty(); }
  /// To be called once. `stop` is looked at all the time.
  ProgramEnd run(const ProgramRequest &request, const ProgramEvents &events, const std::atomic<bool> &stop);

private:
  class Reading;
  explicit ProgramProcess(core::Process process) : process_(std::move(process)) {}

  core::Process process_;
};

} // namespace lanescope::repl
