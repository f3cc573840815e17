// Asynchronous operations of a block: copies in flight and what their completion does.
//
// An operation is issued at one time and moves its data at its completion time, which the cost model puts later; only
// an mbarrier phase or a group wait tells the kernel that it is done. Stores to global memory read shared memory first
// (then `wait_group.read` is satisfied) and write later.
#pragma once

#include "core/emulator/TensorMap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct Block;
struct Warp;
struct Instr;

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

struct AsyncOp {
  AsyncKind kind = AsyncKind::BulkLoad;
  bool wroteBack = false;           // a store's second half is left to do
  ReduceOp reduce = ReduceOp::None; // of a reducing store
  layouts::Dtype reduceType = layouts::Dtype::I8;
  uint64_t time = 0;
  uint64_t issued = 0;
  uint64_t order = 0; // ties in issue order
  const Instr *instr = nullptr;
  uint32_t warp = 0, lane = 0;
  uint32_t target = 0; // rank of the block whose shared memory and mbarrier these are
  uint32_t shared = 0; // window offset
  uint32_t bytes = 0, sourceBytes = 0;
  uint64_t global = 0;   // generic; of a SharedCopy, its source
  uint32_t mbarrier = 0; // window offset; 0: none
  uint64_t group = 0;    // sequence in the lane's groups, when it belongs to one
  uint32_t epoch = 0;    // of the unit's operations, for the checker
  bool grouped = false;
  TensorMap map;
  std::array<int32_t, 5> coordinates{};
  std::vector<std::byte> staged; // a store's data between its halves; a RemoteStore's
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
/// Tells the checker that the lanes in `mask` have waited for all groups of theirs but the last `but`; `open`: also for
/// what they have not committed.
void groupsWaited(Warp &warp, bool bulk, uint32_t mask, uint64_t but, bool open);
/// Does what is due up to `time`; false when a fault ended the run.
bool completeDue(Block &block, uint64_t time);

} // namespace lanescope::core::emulator
