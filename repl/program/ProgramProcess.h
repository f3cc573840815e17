// A CPython process that runs one program. It imports modules before it gets the program.
//
//   auto process = ProgramProcess::start(python->command(hostWords({"numpy"})));   // returns at once
//   ProgramEnd end = process->run({.path = "a.py", .text = text}, {.output = …, .call = …}, stop);
//
// A process runs one program and ends. run() returns a ProgramEnd whatever the process does: hang, die, flood the pipe
// or send invalid messages. It ends when the process that started it ends. docs/worker-protocol.md lists the messages.
#pragma once

#include "core/gpu/runtime/Process.h"
#include "repl/program/CallMessage.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace lanescope::repl {

inline constexpr size_t kMostOutput = 1 << 20;                 // limit for the bytes of output that one run keeps
inline constexpr size_t kMostCalls = 256;                      // limit for the calls that one run keeps
inline constexpr uint64_t kMostTakenBytes = uint64_t{2} << 30; // limit for the arrays and texts of one run's calls
inline constexpr double kStopSeconds = 1; // time after Ctrl-C until a program that continues is killed

struct ProgramRequest {
  std::string path, text;             // the text is run, even if the file has changed
  std::vector<std::string> arguments; // the program's arguments
  std::string arch;                   // target of the kernels; empty: the package's default
  core::Emulation emulation;
  double timeLimit = 20;   // seconds for one run of a kernel
  bool markValues = false; // true if kernels are compiled for a debugger
};

/// How a run ended.
struct ProgramEnd {
  int status = 0;                 // the program's exit status; 1 if a kernel is at fault, or if the program was stopped
  Diagnostics problems;           // the program's exception, at its line, or the reason why the process died
  bool faulted = false;           // the exception is a kernel's fault, which the findings of the call report
  bool interrupted = false;       // the program was stopped
  uint64_t calls = 0, faults = 0; // numbers of kernel calls, and of calls with a fault
  uint64_t leftOut = 0;           // number of calls that were dropped: repeated calls, and calls above the limits
};

/// Called on the thread that calls run().
struct ProgramEvents {
  std::function<void(std::string)> output; // gets standard output and error output as they arrive
  std::function<void(KernelLaunch)> call;
};

/// The arguments after `python3 -m lanescope`. `preload`: modules to import before the program is known.
std::vector<std::string> hostWords(const std::vector<std::string> &preload);
/// The modules that a program's process may import before the program is known to run: those that the text imports,
/// except modules in the program's own folder. Empty if the text sets environment variables, since modules may read
/// them at import.
std::vector<std::string> preloadOf(const std::string &path, std::string_view text);

class ProgramProcess {
public:
  /// Starts a process. Errors: "process".
  static Result<ProgramProcess> start(const std::vector<std::string> &command);
  /// True if the process still waits for a program.
  bool alive() { return process_.awaitEnd(0).empty(); }
  /// Runs the program; may be called once. Polls `stop` throughout.
  ProgramEnd run(const ProgramRequest &request, const ProgramEvents &events, const std::atomic<bool> &stop);

private:
  class Reading;
  explicit ProgramProcess(core::Process process) : process_(std::move(process)) {}

  core::Process process_;
};

} // namespace lanescope::repl
