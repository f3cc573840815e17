// Moves the bytes of asynchronous copies. Async.cpp determines when they move.
//
//   land(block, op)          // source -> target; a store goes through StoreState::staged
//   stageSource(block, op)   // the first half of a store; its source may be overwritten after that
//
// `block` is the block that issued the operation. Each function moves the data only at its first call. It returns false
// after a fault.
#pragma once

#include "core/gpu/emulator/check/GlobalRaces.h"
#include "core/gpu/emulator/machine/Block.h"

#include <vector>

namespace lanescope::core::emulator {

bool land(Block &block, AsyncOp &op);
/// `op` must be a store.
bool stageSource(Block &block, AsyncOp &op);

/// Finds the bytes of global memory that the operation reads or writes: for a tile, those of its rows that lie in the
/// array; for a multicast object, the copy on every device.
void globalStretches(const Grid &grid, const AsyncOp &op, std::vector<GlobalStretch> &out);
/// True if a store that is no reduction would change the bytes of its target if it landed now.
bool changesTarget(Block &block, const AsyncOp &op);

} // namespace lanescope::core::emulator
