// Helpers shared by the operations on tensor memory.
#pragma once

#include "core/gpu/lowering/memory/TensorRefs.h"

namespace lanescope::core {

/// Fails with an error at `op` if the kernel's architecture has no tensor memory.
mlir::LogicalResult needsTensorMemory(KernelLowering &k, mlir::Operation *op);

/// Fails with an error at `op` if blocks do not form pairs: a cluster of two along x.
mlir::LogicalResult needsPair(KernelLowering &k, mlir::Operation *op);

/// The qualifier `.cta_group::1` or `.cta_group::2`. All tensor core instructions of a kernel must have the same one.
inline std::string_view groupOf(bool collective) { return collective ? ".cta_group::2" : ".cta_group::1"; }

} // namespace lanescope::core
