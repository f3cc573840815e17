// The checker's part of issuing a copy.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// Compares what `op` will do with what others do there, and numbers it; false after a fault. The block is checked.
bool checkIssue(Block &block, AsyncOp &op);

} // namespace lanescope::core::emulator
