// The bytes of asynchronous copies: what moves when. Async.cpp says when.
//
//   land(block, op)        // of a load, cp.async, st.async or copy to another block: source -> shared memory
//   stageSource(block, op) // of a store: shared memory -> op.staged; its source may be overwritten from now on
//   writeBack(block, op)   // and op.staged -> global memory
//
// `block` is the one that issued the operation. Each moves the data once, however often it is called, and returns false
// after a fault.
#pragma once

#include "core/gpu/emulator/machine/Machine.h"

namespace lanescope::core::emulator {

/// A stretch of global memory.
struct GlobalStretch {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// What the operation reads of global memory, or writes there; of a tile, the rows that lie in the array.
void globalStretches(const AsyncOp &op, std::vector<GlobalStretch> &out);
/// Whether a store without a reduction would change its target if it took place now.
bool changesTarget(Block &block, const AsyncOp &op);

bool isStore(const AsyncOp &op);
bool land(Block &block, AsyncOp &op);
bool stageSource(Block &block, AsyncOp &op);
bool writeBack(Block &block, AsyncOp &op);

} // namespace lanescope::core::emulator
