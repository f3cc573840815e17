// Chooses those launches of a run that a command works on.
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

/// The launches of the kernel of that name, or all launches if the name is empty. Error "no-kernel", at the start of
/// `source`: there is no such launch.
Result<std::vector<KernelLaunch>> chooseLaunches(std::vector<KernelLaunch> launches, const std::string &kernel,
                                                 const SourceRef &source);
/// The last launch. Error "several-kernels": the launches are not all of one kernel.
Result<KernelLaunch> lastLaunch(const std::vector<KernelLaunch> &launches, const SourceRef &source);

} // namespace lanescope::repl
