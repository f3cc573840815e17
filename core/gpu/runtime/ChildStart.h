// Starts child processes that end with this one: the system kills a child when this program ends for any reason.
//
//   Result<pid_t> child = startChild({"sh", "-c", "…"}, {in, out, err});
//
// The system also kills a stopped child (SIGSTOP), but not the child's own children. For this reason `lanescope-worker`
// watches its input (SessionWatch.h).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <array>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lanescope::core {

/// Starts `arguments[0]`, searched in PATH, with these descriptors as standard input, output and error, and waits until
/// it runs. Signals have their defaults, as a shell sets them, except that SIGINT stays ignored if this program ignores
/// it. Errors: "process".
Result<pid_t> startChild(const std::vector<std::string> &arguments, std::array<int, 3> streams);

} // namespace lanescope::core
