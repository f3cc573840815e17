// Asynchronous operations of a block: copies in flight, and what their completion does.
//
// The life of an operation:
//
//   issued      its warp issues it; the checker compares what it will touch with the other uses there
//   committed   it belongs to a group of its lane (bulk stores, cp.async), or to a phase of its mbarrier
//   completed   at its modelled time (the cost model's plus a seeded delay): the mbarrier counts its bytes, or its
//               group has one operation less. A store's source is read some time before its target is written
//   observed    a wait has found it complete: the first wait on the mbarrier that finds the phase over, or the lane's
//               wait_group (with `.read`: only the source of a store)
//
// Data move as late as the rules allow: when the operation is observed, or when the block ends if nothing observes it.
// So a thread that does not wait finds the old data, and an overwritten source shows in the result. The seed determines
// when an operation's data move. With seed 0, the data of all operations move late. With other seeds, the data of some
// operations move at their modelled time or at their issue. Modelled times, and so traces, do not depend on this.
//
// In the fast mode, an operation is issued, completed and observed at once. A tcgen05.commit is an exception: it
// arrives at its modelled time, because kernels wait for one product after they have issued the next.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Schedules `op` by the cost model. Returns false if the checker reports a fault.
bool issueAsync(Block &block, AsyncOp op, uint64_t now);
/// A wait for groups of asynchronous operations: those of `cp.async`, or the bulk ones.
struct GroupWait {
  bool bulk = false;
  uint64_t but = 0;  // the last groups, which may be in flight still
  bool open = false; // also for operations that are not committed
  bool read = false; // only for the sources of stores
};
/// The lanes in `mask` have waited. Returns false if a fault ended the run.
bool groupsWaited(Warp &warp, uint32_t mask, const GroupWait &wait);
/// A wait has found that a phase of the block's mbarrier is over. Returns false if a fault ended the run.
bool phaseObserved(Block &block, const Mbarrier &barrier);
/// Completes the operations that are due up to `time`. Returns false if a fault ended the run.
bool completeDue(Block &block, uint64_t time);
/// Reports copies that are still in flight when the block has ended. A copy that reads the block's shared memory is a
/// fault (returns false). A copy that fills it is a warning.
bool reportUnfinished(Block &block);
/// The block has ended: completes the operations in flight, and moves the data of unobserved ones. Returns false after
/// a fault.
bool finishAsync(Block &block);

} // namespace lanescope::core::emulator
