// Where the values of compiled kernels lie, and what moving them costs, by places of the snippet.
#pragma once

#include "repl/lsp/Analysis.h"

namespace lanescope::repl::lsp {

/// Adds those of a kernel, which was compiled with its texts. Places in other sources than the snippet's are left out.
void addFacts(const core::KernelStages &stages, Analysis &analysis);

} // namespace lanescope::repl::lsp
