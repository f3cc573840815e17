// Tensor memory, tensor cores of sm_100a and cluster launch control in the `mosaic_gpu` dialect (see
// MosaicGpuTensorOps.td).
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuTensorOps.h.inc"

namespace lanescope::core {

/// Attributes of `slice_tmem` for facts that its type cannot express: the dtype, and all dimensions of the stored
/// array.
inline constexpr llvm::StringLiteral kTensorDtype = "lanescope.dtype", kTensorShape = "lanescope.shape";

} // namespace lanescope::core
