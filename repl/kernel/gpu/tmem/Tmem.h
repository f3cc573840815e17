// // The families of primitives (Primitives.h) that load, store and copy tensor memory.
#pragma once

#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

std::span<const GpuPrimitive> tmemTransferPrimitives(); // TmemTransfers.cpp: to and from registers
std::span<const GpuPrimitive> tmemCopyPrimitives();     // TmemCopies.cpp: from shared memory

/// Argument `index` as a matrix in tensor memory. Errors: the argument is in another memory; it has several matrices,
/// and no index chooses one.
Result<std::shared_ptr<RefValue>> tmemArgument(GpuTracer &tracer, const BoundArguments &args, size_t index);

/// Argument `index`, `collective_axis`, as the dimension of the cluster along which two blocks work together; nothing
/// if it is left out. Errors: the axis is not the cluster's last, or does not have two blocks.
Result<std::optional<int64_t>> pairArgument(GpuTracer &tracer, const BoundArguments &args, size_t index);

} // namespace lanescope::repl
