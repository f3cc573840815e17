// The bytes of asynchronous copies: what moves when. Async.cpp says when.
//
//   land(block, op)          // source -> target; of a store by way of StoreState::staged
//   stageSource(block, op)   // the first half of a store; its source may be overwritten from now on
//
// `block` is the one that issued the operation. Each moves the data once, however often it is called, and returns false
// after a fault.
#pragma once

#include "core/gpu/emulator/check/GlobalRaces.h"
#include "core/gpu/emulator/machine/Block.h"

#include <vector>

namespace lanescope::core::emulator {

bool land(Block &block, AsyncOp &op);
/// `op` is a store.
bool stageSource(Block &block, AsyncOp &op);

/// What the operation reads of global memory, or writes there; of a tile, the rows that lie in the array; of a
/// multicast object, every device's copy.
void globalStretches(const Grid &grid, const AsyncOp &op, std::vector<GlobalStretch> &out);
/// Whether a store without a reduction would change its target if it took place now.
bool changesTarget(Block &block, const AsyncOp &op);

} // namespace lanescope::core::emulator
