// Changing an array's layout in registers, within warps: the conversions that `layout_cast` has.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// Whether relayout() can convert: for inference, which reports what cannot be done where both layouts' origins are
/// known. `bitwidth` is the element's.
bool canRelayout(const layouts::RegisterLayout &from, const layouts::RegisterLayout &to, int bitwidth);

/// The conversions there are, for error messages.
std::string supportedRelayouts();

mlir::FailureOr<RegisterArray> relayout(KernelLowering &k, mlir::Operation *op, const RegisterArray &from,
                                        const layouts::RegisterLayout &to);

} // namespace lanescope::core
