// The kernel language of every target, as one table of builtins.
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "repl/lang/files/SnippetFiles.h"

namespace lanescope::repl {

/// Adds to `host` the languages of GPU and SparseCore kernels, and the functions of kernels of any target: `GMEM`,
/// `run`, pipelines, …. If several targets have a function of one name, each kernel uses that of its own target. If the
/// host has the name too (`exp`, `load`, …), traced operands select the kernel's function. `files`: the rules for a
/// session's files; null: those of the working directory.
Builtins withKernels(Builtins host, std::shared_ptr<KernelRuntime> runtime,
                     std::shared_ptr<SnippetFiles> files = nullptr);

} // namespace lanescope::repl
