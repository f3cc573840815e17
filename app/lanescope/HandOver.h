// `lanescope run PROGRAM.py ARGS…`: hands a Python program to the user's own Python with the package `lanescope`.
//
// A file is such a program if it imports something, or if `--python` is given for it. All other files run in the
// snippet language, in which an untrusted file cannot reach the host (docs/security.md).
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Source.h"

namespace lanescope::app {

/// True if Python runs the file.
bool isForPython(const RunArguments &arguments, const Source &source);

/// Replaces this process by Python. Returns an exit status only if that fails.
int handOver(const RunArguments &arguments);

} // namespace lanescope::app
