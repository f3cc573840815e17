// Handles failed allocations in LLVM. LLVM does not use `operator new` for all of its allocations, and would abort the
// process.
#pragma once

namespace lanescope::core {

/// Makes LLVM end the process like endWithoutMemory() (core/data/MemoryReserve.h). Call it once, before LLVM is used.
void endWhereLlvmHasNoMemory();

} // namespace lanescope::core
