#include "core/ir/CompilerMemory.h"

#include "core/data/MemoryReserve.h"

#include "llvm/Support/ErrorHandling.h"

namespace lanescope::core {

void endWhereLlvmHasNoMemory() {
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
}

} // namespace lanescope::core
