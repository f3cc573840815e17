// Handles failed allocations of LLVM, which does not use `operator new` for all of them and would abort.
#pragma once

namespace lanescope::core {

/// From now on LLVM ends the process as endWithoutMemory() does (core/data/MemoryReserve.h). Once, at a program's
/// start.
void endWhereLlvmHasNoMemory();

} // namespace lanescope::core
