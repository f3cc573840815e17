// Changes the layout of an array in registers by moving elements within warps. There is code for each conversion of
// layouts/cost/RelayoutTable.h.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// Errors: those of layouts::conversion.
mlir::FailureOr<RegisterArray> relayout(KernelLowering &k, mlir::Operation *op, const RegisterArray &from,
                                        const layouts::RegisterLayout &to);

} // namespace lanescope::core
