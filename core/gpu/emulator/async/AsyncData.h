// The bytes of asynchronous copies: what moves. Async.cpp decides when.
//
//   land(block, op)          // source -> target; a store goes through StoreState::staged
//   stageSource(block, op)   // the first half of a store; its source may be overwritten after that
//
// `block` is the one that issued the operation. Each function moves the data once, however often it is called, and
// returns false after a fault.
#pragma once

#include "core/gpu/emulator/check/GlobalRaces.h"
#include "core/gpu/emulator/machine/Block.h"

#include <vector>

namespace lanescope::core::emulator {

bool land(Block &block, AsyncOp &op);
/// `op` must be a store.
bool stageSource(Block &block, AsyncOp &op);

/// Finds what the operation reads or writes in global memory: for a tile, the rows that lie in the array; for a
/// multicast object, every device's copy.
void globalStretches(const Grid &grid, const AsyncOp &op, std::vector<GlobalStretch> &out);
/// True if a store without a reduction would change its target now.
bool changesTarget(Block &block, const AsyncOp &op);

} // namespace lanescope::core::emulator
