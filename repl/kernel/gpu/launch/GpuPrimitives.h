// All functions of the GPU's kernel language.
#pragma once

#include "repl/kernel/trace/Primitives.h"

namespace lanescope::repl {

const Primitives &gpuPrimitives();

} // namespace lanescope::repl
