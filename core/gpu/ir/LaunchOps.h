// The `lanescope` dialect's operations on the launch (see LaunchOps.td), in a header for the few files that use them.
#pragma once

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpu.h"

#define GET_OP_CLASSES
#include "core/gpu/ir/LaunchOps.h.inc"
