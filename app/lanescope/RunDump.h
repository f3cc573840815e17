// `lanescope run DUMP`: runs a module that JAX dumped.
#pragma once

#include "app/lanescope/Arguments.h"
#include "layouts/support/Source.h"
#include "repl/kernel/launch/Launches.h"

namespace lanescope::app {

int runDump(const RunArguments &arguments, const SourceRef &source, repl::KernelRuntime &runtime);

} // namespace lanescope::app
