// The operations of the `lanescope` dialect that concern several devices (see DeviceOps.td), for the few files that use
// them.
#pragma once

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/DeviceOps.h.inc"
