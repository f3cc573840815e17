// Tensor memory, tensor cores of sm_100a and cluster launch control in the `mosaic_gpu` dialect (see
// MosaicGpuTensorOps.td).
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuTensorOps.h.inc"
