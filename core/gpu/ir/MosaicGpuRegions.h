// The `mosaic_gpu` dialect's operations with a region (see MosaicGpuRegionOps.td).
#pragma once

#include "core/gpu/ir/MosaicGpu.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuRegionOps.h.inc"
