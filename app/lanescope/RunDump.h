// `lanescope run DUMP`.
#pragma once

#include "app/lanescope/Arguments.h"
#include "core/Device.h"
#include "layouts/support/Source.h"

#include <string>

namespace lanescope::app {

/// By its ending, .mlir or .txt as JAX names dumps; snippets have others.
bool isDumpName(const std::string &file);
int runDump(const RunArguments &arguments, const SourceRef &source, core::Device &device);

} // namespace lanescope::app
