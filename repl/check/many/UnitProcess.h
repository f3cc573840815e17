// Checks a unit in a process of its own, so that a kernel that crashes the checker, never ends or needs too much memory
// costs its own record only. The process is this program: `lanescope check FILE --format record`.
#pragma once

#include "repl/check/many/CheckRecord.h"
#include "repl/check/many/CheckUnit.h"

#include <atomic>
#include <optional>

namespace lanescope::repl {

struct UnitLimits {
  std::string program;      // the file of `lanescope`
  double seconds = 200;     // the time limit for the process
  uint64_t memory = 0;      // bytes, for the process's `--memory`
  uint64_t givenMemory = 0; // bytes that the user allowed, for the message
  std::string python = {};  // the Python that runs programs; empty: the default one
  uint32_t threads = 1;     // host threads that the process uses
  const std::atomic<bool> *interrupted = nullptr;
};

/// Checks the unit and sets the record's key and what it says about the run. `options`: the words of the command line
/// on which the findings depend. Nothing if the run was interrupted. Errors: "process": the program cannot be started.
Result<std::optional<CheckRecord>> checkUnit(const CheckUnit &unit, const std::vector<std::string> &options,
                                             const UnitLimits &limits);

} // namespace lanescope::repl
