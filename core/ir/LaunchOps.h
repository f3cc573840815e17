// The operations of the `lanescope` dialect that concern the launch (see LaunchOps.td), for the few files that use
// them.
#pragma once

#include "core/ir/Lanescope.h"
#include "core/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/ir/LaunchOps.h.inc"
