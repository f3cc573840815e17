// The families of primitives (Primitives.h) that read, write and copy memory.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

namespace lanescope::repl {

std::span<const TpuPrimitive> tpuCopyPrimitives();   // TpuCopyBuiltins.cpp
std::span<const TpuPrimitive> tpuAccessPrimitives(); // TpuAccess.cpp: masked loads and stores, gathers, scatters
std::span<const TpuPrimitive> tpuScopePrimitives();  // TpuScopes.cpp: run_scoped, get_global
std::span<const TpuPrimitive> tpuSelectPrimitives(); // TpuSelect.cpp: select_ref

} // namespace lanescope::repl
