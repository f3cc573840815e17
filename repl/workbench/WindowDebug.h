// Makes a launch ready for the window's debugger: the run, and the places of the snippet's names in it.
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "viz/host/DebuggedRun.h"

namespace lanescope::repl {

/// The debugger's target. Null: the launch is not of a GPU kernel, or did not compile. `snippet` is the file that made
/// the launch; if it is null, values have no names. With a snippet, the debugger runs code with marks
/// (core/gpu/codegen/DebugValues.h). The code with marks is compiled when the run is opened: the file runs once more,
/// with kernels that return zeros.
std::shared_ptr<const viz::DebugTarget> windowTarget(const KernelLaunch &launch, const KernelOptions &options,
                                                     const SourceRef &snippet);

} // namespace lanescope::repl
