// All functions of the GPU's kernel language.
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "repl/kernel/trace/Primitives.h"

namespace lanescope::repl {

const Primitives &gpuPrimitives();
/// Everything that this target adds to a session's builtins: `kernel`, `SMEM`, copies, barriers, …
void addGpuBuiltins(BuiltinTable &table, std::shared_ptr<KernelRuntime> runtime);
/// The helper functions that launch/prelude.py needs for a GPU's kernel.
Builtins gpuPreludeHelpers();

} // namespace lanescope::repl
