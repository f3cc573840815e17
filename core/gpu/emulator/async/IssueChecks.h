// The checker's part of issuing a copy.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

namespace lanescope::core::emulator {

/// Compares what `op` will access with the other uses of the same bytes, and gives `op` its number. Returns false after
/// a fault. The block must have a checker.
bool checkIssue(Block &block, AsyncOp &op);

} // namespace lanescope::core::emulator
