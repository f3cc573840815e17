// The operations of the `lanescope` dialect for warps by themselves (see WarpOps.td), for the few files that use them.
#pragma once

#include "core/ir/Lanescope.h"
#include "core/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/ir/WarpOps.h.inc"
