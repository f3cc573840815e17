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
// completed and observed at once.
#pragma once

#include "core/gpu/emulator/machine/TensorMap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct Block;
struct Warp;
struct Instr;
struct Mbarrier;

/// The committed groups of one lane, oldest first, as counts of operations that are unfinished / still read.
struct LaneGroups {
  struct Group {
    uint32_t unfinished = 0, reading = 0;
    uint32_t epoch = 0; // of its last operation, for the checker
  };
  uint32_t erasedEpoch = 0; // of the groups that are kept no longer
  uint64_t first = 0;       // sequence number of groups[0]
  std::vector<Group> groups;
  Group open; // issued, not committed; its sequence number is first + groups.size()

  /// As it was before the block began; memory is kept.
  void reset() {
    std::vector<Group> kept = std::move(groups);
    kept.clear();
    *this = {};
    groups = std::move(kept);
  }
  uint64_t openSequence() const { return first + groups.size(); }
  Group &at(uint64_t sequence) { return sequence == openSequence() ? open : groups[sequence - first]; }
  void commit() {
    groups.push_back(open);
    open = {};
    size_t done = 0;
    while (done < groups.size() && groups[done].unfinished == 0 && groups[done].reading == 0)
      ++done;
    if (done > 64) {
      for (size_t n = 0; n < done; ++n)
        erasedEpoch = groups[n].epoch > erasedEpoch ? groups[n].epoch : erasedEpoch;
      groups.erase(groups.begin(), groups.begin() + static_cast<long>(done));
      first += done;
    }
  }
};

/// SharedCopy: from the own shared memory to a block's of the cluster; RemoteStore: st.async and red.async.
enum class AsyncKind : uint8_t {
  BulkLoad,
  TensorLoad,
  BulkStore,
  TensorStore,
  CpAsync,
  CpArrive,
  SharedCopy,
  RemoteStore,
};
enum class ReduceOp : uint8_t { None, Add, Min, Max, And, Or, Xor, Inc, Dec };

/// When data move.
enum class Landing : uint8_t { Late, OnTime, Soon };

inline constexpr uint32_t kChosenRows = 4; // of one gather or scatter

struct AsyncOp {
  AsyncKind kind = AsyncKind::BulkLoad;
  Landing landing = Landing::Late;
  bool readTold = false;            // a store's group knows that its source has been read
  bool readSeen = false;            // somebody has waited for that
  bool moved = false;               // the data have landed; of a store: its source has been read
  bool written = false;             // a store's target has been written
  ReduceOp reduce = ReduceOp::None; // of a reducing store
  layouts::Dtype reduceType = layouts::Dtype::I8;
  uint64_t time = 0;
  uint64_t issued = 0;
  uint64_t order = 0; // ties in issue order
  const Instr *instr = nullptr;
  uint32_t rank = 0, warp = 0, lane = 0; // who issued it
  uint32_t target = 0;                   // rank of the block whose shared memory this is
  uint32_t signals = 0;                  // rank of the block whose mbarrier it is: the same, but for `.cta_group::2`
  uint32_t shared = 0;                   // window offset
  uint32_t bytes = 0, sourceBytes = 0;
  uint64_t global = 0;   // generic; of a SharedCopy, its source
  uint32_t mbarrier = 0; // window offset; 0: none
  uint64_t phase = 0;    // of the mbarrier, that it is part of; known when completed
  uint64_t group = 0;    // sequence in the lane's groups, when it belongs to one
  uint32_t epoch = 0;    // of the unit's operations, for the checker
  bool grouped = false;
  bool chosenRows = false; // `.tile::gather4` and `.tile::scatter4`: the coordinates are a column and four rows
  TensorMap map;
  std::array<int32_t, 5> coordinates{};
  std::vector<std::byte> staged; // a store's data between its source and its target; a RemoteStore's
};

class AsyncQueue {
public:
  bool empty() const { return ops_.empty(); }
  uint64_t nextTime() const { return ops_.empty() ? UINT64_MAX : ops_.front().time; }
  void push(AsyncOp op);
  AsyncOp pop();
  const std::vector<AsyncOp> &all() const { return ops_; }
  uint64_t issued() const { return sequence_; }
  uint64_t unitFree = 0; // cycle at which the copy unit can start the next operation

private:
  std::vector<AsyncOp> ops_; // heap, earliest first
  uint64_t sequence_ = 0;
};

/// One wgmma in flight: computed when a wait orders it, which is as late as the rules allow.
struct WgmmaOp {
  const Instr *instr = nullptr;
  uint64_t a = 0, b = 0; // descriptors
  bool accumulate = true;
  bool computed = false;       // for another warp of the warpgroup, which has waited for it
  uint64_t group = UINT64_MAX; // UINT64_MAX: not committed
  uint64_t ready = 0;          // cycle
};

struct WgmmaQueue {
  std::vector<WgmmaOp> ops; // that this warp has not waited for
  uint64_t issued = 0;      // operations so far
  uint64_t committed = 0;   // groups so far
  uint64_t unitFree = 0;    // cycle
};

/// Schedules `op` by the cost model; false when the checker objects to it.
bool issueAsync(Block &block, AsyncOp op, uint64_t now);
/// The lanes in `mask` have waited for all groups of theirs but the last `but`; `open`: also for what they have not
/// committed; `read`: for the sources of stores alone. False when a fault ended the run.
bool groupsWaited(Warp &warp, bool bulk, uint32_t mask, uint64_t but, bool open, bool read);
/// Somebody has found a phase of the block's mbarrier over; false when a fault ended the run.
bool phaseObserved(Block &block, const Mbarrier &barrier);
/// Does what is due up to `time`; false when a fault ended the run.
bool completeDue(Block &block, uint64_t time);
/// The block has ended: what is in flight completes, and what nobody has observed moves its data. False after a fault.
bool finishAsync(Block &block);

} // namespace lanescope::core::emulator
