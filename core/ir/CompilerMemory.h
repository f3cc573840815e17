// Handles failed allocations in LLVM, which does not use `operator new` for all of them and would abort.
#pragma once

namespace lanescope::core {

/// Makes LLVM end the process like endWithoutMemory() (core/data/MemoryReserve.h). Call it once, at a program's start.
void endWhereLlvmHasNoMemory();

} // namespace lanescope::core
