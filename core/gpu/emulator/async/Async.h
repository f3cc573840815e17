// Asynchronous operations of a block: copies in flight and what their completion does.
//
// The life of an operation:
//
//   issued      its warp names it; the checker compares what it will touch with what others do there
//   committed   it belongs to a group of its lane (bulk stores, cp.async), or to a phase of its mbarrier
//   completed   at its modelled time, the cost model's and a seeded delay: the mbarrier counts its bytes, or its group
//               has one less to wait for. A store's source is read some time before its target is written
//   observed    somebody has waited: the first wait on the mbarrier that finds the phase over, or the lane's
//               wait_group (`.read`: of a store's source alone)
//
// Data move as late as the rules allow, when the operation is observed; what nobody observes, when the block ends. So
// who does not wait finds the old data, and whoever overwrites a source sees that in the result. Which of these an
// operation does is drawn from the seed: with seed 0 all are late, with others some move at their modelled time or as
// soon as they are issued. Modelled times, and so traces, do not depend on it. In the fast mode an operation is issued,
// completed and observed at once; but a tcgen05.commit arrives at its modelled time, as kernels wait for one product
// when they have issued the next.
#pragma once

#include "core/gpu/emulator/machine/Block.h"

#include <cstdint>

namespace lanescope::core::emulator {

/// Schedules `op` by the cost model; false when the checker objects to it.
bool issueAsync(Block &block, AsyncOp op, uint64_t now);
/// The lanes in `mask` have waited for all groups of theirs but the last `but`; `open`: also for what they have not
/// committed; `read`: for the sources of stores alone. False when a fault ended the run.
bool groupsWaited(Warp &warp, bool bulk, uint32_t mask, uint64_t but, bool open, bool read);
/// Somebody has found a phase of the block's mbarrier over; false when a fault ended the run.
bool phaseObserved(Block &block, const Mbarrier &barrier);
/// Does what is due up to `time`; false when a fault ended the run.
bool completeDue(Block &block, uint64_t time);
/// Of copies in flight when the block has ended: one that reads its shared memory is a fault (false), one that fills it
/// a warning.
bool reportUnfinished(Block &block);
/// The block has ended: what is in flight completes, and what nobody has observed moves its data. False after a fault.
bool finishAsync(Block &block);

} // namespace lanescope::core::emulator
