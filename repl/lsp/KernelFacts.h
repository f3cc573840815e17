// Finds the layouts of compiled kernels' values and the costs of moving them, for each place of the snippet.
#pragma once

#include "repl/lsp/Analysis.h"

namespace lanescope::repl::lsp {

/// Adds the facts of a kernel, which must have been compiled with `keepTexts`. Leaves out places outside of the
/// snippet.
void addFacts(const core::KernelStages &stages, Analysis &analysis);

} // namespace lanescope::repl::lsp
