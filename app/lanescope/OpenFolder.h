// `lanescope open` for a folder of JAX's dumps, and for two dumps of one kernel.
#pragma once

#include "app/lanescope/Arguments.h"

namespace lanescope::app {

/// Writes the pages of the folder's kernels to an HTML file or to the terminal. The terminal shows one kernel in full,
/// and several in short.
int openFolder(const OpenArguments &arguments);
/// `--against`: writes the differences of two dumps, each of which is a kernel's folder or a module.
int openAgainst(const OpenArguments &arguments);

} // namespace lanescope::app
