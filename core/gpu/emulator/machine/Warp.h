// A warp: 32 lanes with their registers, where they are in the program, and what they have in flight.
//
// Divergence: a warp is a set of splits (pc, lanes). At a divergent branch the split waits at the branch's immediate
// post-dominator, and a new split runs each side; sides that arrive there merge. All runnable splits are scheduled, so
// lanes may wait for other lanes of their warp, as since Volta. If lanes wait for something that the lanes at their
// meeting point have yet to do, the latter go on without them (sync/Divergence.h).
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
  AtLanes // an instruction of the whole warp, reached by lanes that went on apart from the others
};
inline constexpr uint32_t kWgmmaWait = 1; // Split::waitFor in AtGroup: + the warp of the warpgroup that is missing
inline constexpr uint32_t kPeerWait = 1u << 31; // AtTmem: the other block of the pair has yet to allocate too

struct Split {
  SplitState state = SplitState::Free;
  uint32_t pc = 0;
  uint32_t rpc = kNone; // where it merges into its parent
  uint32_t mask = 0;
  int32_t parent = -1;
  uint32_t children = 0, arrived = 0; // Merging: its sides, and those that have arrived
  uint32_t waitFor = 0;               // barrier number, mbarrier address, kWgmmaWait, registers a thread, columns
  uint64_t waitPhase = 0;             // the mbarrier's phase when the wait began
  int32_t frame = -1;                 // Merging, with lanes in a function: index in Warp::frames
  bool open = false;                  // Merging: lanes that arrive go on at once
  bool timedOut = false;              // a try_wait that must answer "no" now
  uint32_t desertedBy = 0;            // lanes at a barrier: the lanes of their warp that had passed around it
  uint32_t idlePolls = 0;             // failed tests since the last event
  uint64_t pollEffects = 0;           // Block::effects at the last failed test
};

/// The state that a call keeps for its return.
struct CallFrame {
  bool used = false;
  uint32_t call = 0;            // pc
  std::vector<std::byte> saved; // registers, if the function may be called again meanwhile
};

/// The pattern of all lanes' addresses in a register, as found by the last access that looked (Instr::findsRow), and
/// the memory that it accessed.
struct AddressRow {
  uint32_t slot = kNone;
  bool inRow = false; // lane l's address is first + l * stride
  bool writable = false;
  uint64_t first = 0;
  int64_t stride = 0;
  // The buffer, the block's shared memory or the parameters: `bytes` from address `begin` on; 0: the access hit none.
  uint64_t begin = 0, bytes = 0;
  std::byte *data = nullptr;
  const Region *region = nullptr; // the buffer's region
  // For addresses that are not in a row but repeat every four lanes at this distance in bytes (0: they do not), as in
  // fragments of products: the register in lanes 0, 4, 8, …
  uint32_t foursApart = 0;
  alignas(64) uint64_t fours[8];
  uint64_t lowestFour = 0, highestFour = 0, bitsOfFours = 0; // bitsOfFours: the OR of all

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
  bool apart = false;      // some lanes have gone on without waiting for others at their meeting point
  bool sawRefusal = false; // it has read that a request to cancel a cluster was refused
  std::vector<Split> splits;
  std::vector<LaneGroups> groups; // laneGroups(); empty until used
  WgmmaQueue wgmma;
  std::vector<TmemStore> tmemStores; // not waited for; their data have yet to move
  std::vector<AsyncOp> held; // groups' copies that have completed, but whose data have yet to move (async/Async.h)
  // For the cluster barrier: lanes that arrived in this phase, and lanes that arrived in any phase without having
  // waited.
  uint32_t clusterArrived = 0, clusterPending = 0;
  uint32_t ownRegisters = 0;  // a thread's registers in the GPU's register file; 0: not counted
  uint32_t registerSteps = 0; // number of `setmaxnreg`s so far, and the last one
  const Instr *registerStep = nullptr;
  std::vector<std::byte> local; // localBytes for each lane, in a row
  uint32_t localBytes = 0;      // grows with calls
  std::vector<CallFrame> frames;

  /// The groups of a lane's cp.async.bulk, or of its cp.async.
  LaneGroups &laneGroups(uint32_t lane, bool bulk) { return groups[(bulk ? 0 : 32) + lane]; }
  const LaneGroups &laneGroups(uint32_t lane, bool bulk) const { return groups[(bulk ? 0 : 32) + lane]; }
  Split &split() { return splits[current]; }
  template <class T> T *reg(uint32_t slot) { return reinterpret_cast<T *>(regs + slot); }
  uint32_t &predicate(uint32_t slot) { return *reinterpret_cast<uint32_t *>(regs + slot); }
};

} // namespace lanescope::core::emulator
