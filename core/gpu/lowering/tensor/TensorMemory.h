// What operations on tensor memory share.
#pragma once

#include "core/gpu/lowering/memory/TensorRefs.h"

namespace lanescope::core {

/// Fails with an error at `op` where the kernel's architecture has no tensor memory.
mlir::LogicalResult needsTensorMemory(KernelLowering &k, mlir::Operation *op);

/// Fails with an error at `op` where blocks do not come in pairs: a cluster of two along x.
mlir::LogicalResult needsPair(KernelLowering &k, mlir::Operation *op);

/// `.cta_group::1` or `.cta_group::2`, of which the tensor core's instructions of one kernel have one.
inline std::string_view groupOf(bool collective) { return collective ? ".cta_group::2" : ".cta_group::1"; }

} // namespace lanescope::core
