// The families of primitives (Primitives.h) that read, write and copy memory.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

namespace lanescope::repl {

std::span<const TpuPrimitive> tpuCopyPrimitives();   // Copies.cpp
std::span<const TpuPrimitive> tpuAccessPrimitives(); // Access.cpp: masked loads and stores, gathers, scatters
std::span<const TpuPrimitive> tpuScopePrimitives();  // Scopes.cpp: run_scoped, get_global
std::span<const TpuPrimitive> tpuSelectPrimitives(); // Select.cpp: select_ref

} // namespace lanescope::repl
