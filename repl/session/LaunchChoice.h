// Which of a run's launches a command is about.
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

/// The launches of the kernel of that name, or all where it is empty. Error "no-kernel", at the start of `source`:
/// none.
Result<std::vector<KernelLaunch>> chooseLaunches(std::vector<KernelLaunch> launches, const std::string &kernel,
                                                 const SourceRef &source);
/// The last launch of the one kernel that they are of. Error "several-kernels".
Result<KernelLaunch> lastLaunch(const std::vector<KernelLaunch> &launches, const SourceRef &source);

} // namespace lanescope::repl
