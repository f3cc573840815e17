// `lanescope open` of a folder that JAX dumped to, and of two dumps of one kernel.
#pragma once

#include "app/lanescope/Arguments.h"

namespace lanescope::app {

/// Pages of the folder's kernels: to the terminal, one kernel in full and several in short; or to an HTML file.
int openFolder(const OpenArguments &arguments);
/// `--against`: what differs. Either is a folder's kernel or a module.
int openAgainst(const OpenArguments &arguments);

} // namespace lanescope::app
