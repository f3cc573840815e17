// Operations with a region of the `mosaic_gpu` dialect (see MosaicGpuRegionOps.td).
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuRegionOps.h.inc"
