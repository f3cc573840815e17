// A warp: 32 lanes with their registers, where they are in the program, and what they have in flight.
//
// Divergence: a warp is a set of splits (pc, lanes). A divergent branch leaves its split waiting at the branch's
// immediate post-dominator and makes a split per side; sides that arrive there merge. All runnable splits are
// scheduled, so lanes may wait for other lanes of their warp, as since Volta. Where lanes wait for what those at their
// meeting point have yet to do, these go on without them (sync/Divergence.h).
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
  AtLanes // an instruction of the whole warp, for lanes that went on apart from them
};
inline constexpr uint32_t kWgmmaWait = 1; // Split::waitFor in AtGroup: + the warp of the warpgroup that is missing
inline constexpr uint32_t kPeerWait = 1u << 31; // in AtTmem: the other block of the pair has yet to allocate too

struct Split {
  SplitState state = SplitState::Free;
  uint32_t pc = 0;
  uint32_t rpc = kNone; // where it merges into its parent
  uint32_t mask = 0;
  int32_t parent = -1;
  uint32_t children = 0, arrived = 0; // of a Merging split
  uint32_t waitFor = 0;               // barrier number, mbarrier address, kWgmmaWait, registers a thread, columns
  uint64_t waitPhase = 0;             // of the mbarrier, when the wait began
  int32_t frame = -1;                 // of a Merging one whose lanes are in a function: Warp::frames
  bool open = false;                  // of a Merging one: who arrives goes on at once
  bool timedOut = false;              // a try_wait that must answer "no" now
  uint32_t desertedBy = 0;            // of lanes that wait at a barrier: who of their warp had gone round it
  uint32_t idlePolls = 0;             // failed tests since anything happened
  uint64_t pollEffects = 0;           // Block::effects at the last failed test
};

/// What a call keeps for its return.
struct CallFrame {
  bool used = false;
  uint32_t call = 0;            // pc
  std::vector<std::byte> saved; // registers of a function that may be called again meanwhile
};

/// How all lanes' addresses in a register lie, as found by the last access that looked (Instr::findsRow), and where
/// that access was.
struct AddressRow {
  uint32_t slot = kNone;
  bool inRow = false; // lane l's is first + l * stride
  bool writable = false;
  uint64_t first = 0;
  int64_t stride = 0;
  // A buffer, the block's shared memory or the parameters: `bytes` from address `begin` on; 0: none of them.
  uint64_t begin = 0, bytes = 0;
  std::byte *data = nullptr;
  const Region *region = nullptr; // of a buffer
  // Where they are not in a row, but every four lanes' are at a distance of this many bytes (0: nor these), as
  // fragments of products lie: the register in lanes 0, 4, 8, …
  uint32_t foursApart = 0;
  alignas(64) uint64_t fours[8];
  uint64_t lowestFour = 0, highestFour = 0, bitsOfFours = 0; // bits: of all

  /// Lane 0's address by an instruction with that register.
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
  uint32_t turn = 0; // instructions since another split was chosen for the sake of fairness
  bool runnable = true;
  bool apart = false;      // lanes have gone on without waiting for others at their meeting point
  bool sawRefusal = false; // of a request to cancel a cluster
  std::vector<Split> splits;
  std::vector<LaneGroups> groups; // laneGroups(); empty until used
  WgmmaQueue wgmma;
  std::vector<TmemStore> tmemStores; // not waited for, with data yet to move
  std::vector<AsyncOp> held;         // of groups: completed, and data yet to move (async/Async.h)
  // Of the cluster barrier: lanes that have arrived in this phase, and in any without having waited.
  uint32_t clusterArrived = 0, clusterPending = 0;
  uint32_t ownRegisters = 0;  // a thread, of the GPU's register file; 0: not counted
  uint32_t registerSteps = 0; // `setmaxnreg`s so far, and the last one
  const Instr *registerStep = nullptr;
  std::vector<std::byte> local; // per lane localBytes in a row
  uint32_t localBytes = 0;      // grows with calls
  std::vector<CallFrame> frames;

  /// Of a lane's cp.async.bulk, or of its cp.async.
  LaneGroups &laneGroups(uint32_t lane, bool bulk) { return groups[(bulk ? 0 : 32) + lane]; }
  const LaneGroups &laneGroups(uint32_t lane, bool bulk) const { return groups[(bulk ? 0 : 32) + lane]; }
  Split &split() { return splits[current]; }
  template <class T> T *reg(uint32_t slot) { return reinterpret_cast<T *>(regs + slot); }
  uint32_t &predicate(uint32_t slot) { return *reinterpret_cast<uint32_t *>(regs + slot); }
};

} // namespace lanescope::core::emulator
