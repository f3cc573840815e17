// The kernel language of every target, as one table of builtins.
#pragma once

#include "repl/kernel/gpu/launch/Launches.h"

namespace lanescope::repl {

/// `host` with the languages of GPU and SparseCore kernels added. A name that several have is each kernel's own.
Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
