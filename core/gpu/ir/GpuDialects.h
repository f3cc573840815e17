// The syntax differences between the MLIR of JAX, which may be newer or older, and ours, as data for core/ir's
// ModuleReader.
#pragma once

#include "core/ir/SyntaxDifferences.h"

namespace lanescope::core {

ModuleDialects gpuDialects();

} // namespace lanescope::core
