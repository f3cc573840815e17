// Starts child processes that end with this one: the kernel kills a child when this program ends, however it ends.
//
//   Result<pid_t> child = startChild({"sh", "-c", "…"}, {in, out, err});
//
// This also reaches a stopped child (SIGSTOP), but not the child's own children: for those, `lanescope-worker` watches
// its input (SessionWatch.h).
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
