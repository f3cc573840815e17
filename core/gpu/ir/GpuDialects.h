// What JAX's MLIR, newer or older than ours, does otherwise than ours, as data for core/ir's ModuleReader.
#pragma once

#include "core/ir/SyntaxDifferences.h"

namespace lanescope::core {

ModuleDialects gpuDialects();

} // namespace lanescope::core
