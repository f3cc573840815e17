// The kernel language of every target, as one table of builtins.
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "repl/lang/files/SnippetFiles.h"

namespace lanescope::repl {

/// `host` with the languages of GPU and SparseCore kernels added, and what kernels of any target have: `GMEM`, `run`,
/// pipelines, …. A name that several have is each kernel's own; one that exists on the host too (`exp`, `load`, …)
/// serves both: traced operands choose.
/// `files`: the rules for a session's files; null: those of the working directory.
Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime,
                     std::shared_ptr<SnippetFiles> files = nullptr);

} // namespace lanescope::repl
