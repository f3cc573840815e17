// Starts child processes that end with this one: the kernel kills a child when this program ends, however it ends.
//
//   Result<pid_t> child = startChild({"sh", "-c", "…"}, {in, out, err});
//
// This reaches a child that is stopped (SIGSTOP), too. It does not reach the child's own children: `lanescope-worker`
// watches its input for those cases (SessionWatch.h).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <array>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lanescope::core {

/// Starts `arguments[0]`, searched in PATH, with these descriptors as standard input, output and error, and waits until
/// it runs. Signals are as a shell leaves them, but for SIGINT, which stays ignored where this program ignores it.
/// Errors: "process".
Result<pid_t> startChild(const std::vector<std::string> &arguments, std::array<int, 3> streams);

} // namespace lanescope::core
