// `lanescope run PROGRAM.py ARGS…`: hands a Python program to the user's own Python with the package `lanescope`.
//
// A file that imports something is such a program, and so is one for which `--python` is given. All other files run in
// the snippet language, in which an untrusted file cannot reach the host (docs/security.md).
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Source.h"

namespace lanescope::app {

/// True if Python runs the file.
bool isForPython(const RunArguments &arguments, const Source &source);

/// Replaces this process by Python. Returns only if that fails, with an exit status.
int handOver(const RunArguments &arguments);

} // namespace lanescope::app
