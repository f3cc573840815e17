// `lanescope run PROGRAM.py ARGS…`: a Python program, handed to the user's own Python with the package
// `lanescope`.
//
// A file that imports something is such a program, and so is one for which `--python` is given. All other files stay in
// the snippet language, where a stranger's file reaches nothing of the host (docs/security.md).
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Source.h"

namespace lanescope::app {

/// Whether Python runs the file.
bool isForPython(const RunArguments &arguments, const Source &source);

/// Becomes Python. Comes back with an exit status where that fails.
int handOver(const RunArguments &arguments);

} // namespace lanescope::app
