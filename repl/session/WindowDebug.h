// What the window's debugger gets of a launch: the run, and where the snippet's names are found in it.
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "viz/host/DebugTarget.h"

namespace lanescope::repl {

/// Null: the launch is none of a GPU's kernel, or did not compile. `snippet` is the file that made the launch; with it
/// the debugger runs code with marks (core/gpu/codegen/DebugValues.h), which is compiled when the run is opened: the
/// file runs once more for it, with kernels that give zeros. Null: values have no names.
std::shared_ptr<const viz::DebugTarget> windowTarget(const KernelLaunch &launch, const KernelOptions &options,
                                                     const SourceRef &snippet);

} // namespace lanescope::repl
