// Chooses the launches of a run that a command is about.
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

/// The launches of the kernel of that name, or all launches if the name is empty. Error "no-kernel", at the start of
/// `source`: there are none.
Result<std::vector<KernelLaunch>> chooseLaunches(std::vector<KernelLaunch> launches, const std::string &kernel,
                                                 const SourceRef &source);
/// The last launch, all of which must be of one kernel. Error "several-kernels": they are not.
Result<KernelLaunch> lastLaunch(const std::vector<KernelLaunch> &launches, const SourceRef &source);

} // namespace lanescope::repl
