// A warp: 32 lanes with their registers, their places in the program, and their operations in flight.
//
// A warp is a set of splits (pc, lanes). At a divergent branch, the split waits at the branch's immediate
// post-dominator, and each side runs as a new split. Sides that arrive there merge. All runnable splits are scheduled,
// so lanes may wait for other lanes of their warp, as on hardware since Volta. Lanes at a meeting point may owe
// something that the other lanes wait for. Then they go on without the other lanes (sync/Divergence.h).
#pragma once

#include "core/gpu/emulator/machine/AsyncOp.h"
#include "core/gpu/emulator/machine/LaneGroups.h"
#include "core/gpu/emulator/machine/Program.h"
#include "core/gpu/emulator/machine/TmemMove.h"
#include "core/gpu/emulator/machine/WgmmaQueue.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct Block;
struct Region;

enum class SplitState : uint8_t {
  Free,
  Ready,
  Merging,
  AtBarrier,
  AtMbarrier,
  AtGroup,
  AtCluster,
  AtRegisters,
  AtTmem,
  AtLanes // an instruction for the whole warp, reached by lanes that went on without the other lanes
};
// Split::waitFor in AtGroup: kWgmmaWait plus the missing warp's number in the warpgroup
inline constexpr uint32_t kWgmmaWait = 1;
// Split::waitFor in AtTmem: the other block of the pair has yet to make its allocation
inline constexpr uint32_t kPeerWait = 1u << 31;

struct Split {
  SplitState state = SplitState::Free;
  uint32_t pc = 0;
  uint32_t rpc = kNone; // the pc at which it merges into its parent
  uint32_t mask = 0;
  int32_t parent = -1;
  uint32_t children = 0, arrived = 0; // Merging: the number of its sides, and the lanes that have arrived
  uint32_t waitFor = 0;               // barrier number, mbarrier address, kWgmmaWait, registers per thread, or columns
  uint64_t waitPhase = 0;             // the mbarrier's phase when the wait began
  int32_t frame = -1;                 // Merging, with lanes in a function: index in Warp::frames
  bool open = false;                  // Merging: lanes that arrive go on at once, without the others
  bool timedOut = false;              // the split's try_wait must return false now
  uint32_t desertedBy = 0;  // lanes at a barrier: the other lanes of their warp that have gone round the barrier
  uint32_t idlePolls = 0;   // failed tests since the last event
  uint64_t pollEffects = 0; // Block::effects at the last failed test
};

/// The state that a call saves for its return.
struct CallFrame {
  bool used = false;
  uint32_t call = 0;            // pc
  std::vector<std::byte> saved; // saved registers, if the function may be called again before it returns
};

/// The pattern of all lanes' addresses in a register, and the memory that was accessed. The last access with
/// Instr::findsRow has found them.
struct AddressRow {
  uint32_t slot = kNone;
  bool inRow = false; // lane l's address is first + l * stride
  bool writable = false;
  uint64_t first = 0;
  int64_t stride = 0;
  // The memory that was accessed (a buffer, the block's shared memory or the parameters): `bytes` bytes from address
  // `begin` on. 0: the access hit none of these.
  uint64_t begin = 0, bytes = 0;
  std::byte *data = nullptr;
  const Region *region = nullptr; // the buffer's region
  // For addresses that repeat every four lanes at this distance in bytes, as in fragments of matrix products (0: they
  // do not). `fours` has the register in lanes 0, 4, 8, …
  uint32_t foursApart = 0;
  alignas(64) uint64_t fours[8];
  uint64_t lowestFour = 0, highestFour = 0, bitsOfFours = 0; // bitsOfFours: the bitwise or of all of them

  /// Lane 0's address in an instruction that uses that register.
  uint64_t addressOf(const Instr &i) const {
    uint64_t address = first + i.imm;
    return i.wideAddress ? address : static_cast<uint32_t>(address);
  }
};

struct Warp {
  Block *block = nullptr;
  std::byte *regs = nullptr;
  uint64_t time = 0;
  uint64_t loadsReady = 0;
  uint32_t id = 0;
  uint32_t live = 0; // lanes that have not exited
  uint32_t current = 0;
  AddressRow row;
  uint32_t turn = 0; // instructions since the scheduler last switched splits for fairness
  bool runnable = true;
  bool apart = false;      // some lanes have gone on without waiting for the other lanes at their meeting point
  bool sawRefusal = false; // the warp has read that a request to cancel a cluster was refused
  std::vector<Split> splits;
  std::vector<LaneGroups> groups; // use laneGroups(); empty until first used
  WgmmaQueue wgmma;
  std::vector<TmemStore> tmemStores; // stores that have not been waited for; their data have yet to move
  std::vector<AsyncOp> held; // copies of groups that have completed, but whose data have yet to move (async/Async.h)
  // For the cluster barrier: lanes that have arrived in this phase, and lanes that have arrived in any phase and not
  // waited yet.
  uint32_t clusterArrived = 0, clusterPending = 0;
  uint32_t ownRegisters = 0;  // a thread's registers in the GPU's register file; 0: not counted
  uint32_t registerSteps = 0; // the number of executed `setmaxnreg`s, and the last one
  const Instr *registerStep = nullptr;
  std::vector<std::byte> local; // localBytes for each lane, in a row
  uint32_t localBytes = 0;      // grows with calls
  std::vector<CallFrame> frames;

  /// The groups of a lane's cp.async.bulk copies (`bulk`), or those of its cp.async copies.
  LaneGroups &laneGroups(uint32_t lane, bool bulk) { return groups[(bulk ? 0 : 32) + lane]; }
  const LaneGroups &laneGroups(uint32_t lane, bool bulk) const { return groups[(bulk ? 0 : 32) + lane]; }
  Split &split() { return splits[current]; }
  template <class T> T *reg(uint32_t slot) { return reinterpret_cast<T *>(regs + slot); }
  uint32_t &predicate(uint32_t slot) { return *reinterpret_cast<uint32_t *>(regs + slot); }
};

} // namespace lanescope::core::emulator
