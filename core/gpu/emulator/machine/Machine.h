// The machine that runs decoded PTX: a grid's clusters one after another, a cluster's blocks and a block's warps side
// by side, a warp's 32 lanes in arrays.
//
// Registers: each virtual register owns a slot of the warp's register file, 32 lanes in a row (u16[32], u32[32],
// u64[32]); a predicate is one 32-bit lane mask. Immediates and special registers are slots too, filled when the warp
// starts, so a handler reads every operand the same way.
//
// Divergence: a warp is a set of splits (pc, lanes). A divergent branch leaves its split waiting at the branch's
// immediate post-dominator and makes a split per side; sides that arrive there merge. All runnable splits are
// scheduled, so lanes may wait for other lanes of their warp, as since Volta.
//
// All state of a block is in `Block`; what blocks share is in `Grid` (global memory and the launch).
#pragma once

#include "core/gpu/emulator/async/Async.h"
#include "core/gpu/emulator/ptx/PtxModule.h"
#include "core/gpu/emulator/sync/Barriers.h"
#include "layouts/support/Diagnostic.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

struct Warp;
struct Block;
struct Cluster;
struct Instr;
class Checker;
class FlightRecorder;

enum class Step : uint8_t {
  Next,    // go on behind the instruction
  Jump,    // the handler has set the split's pc
  Yield,   // go on behind the instruction, but let others run first
  Blocked, // the handler has put the split to sleep
  Gone,    // the split is no more, or another one is current
  Fault,   // the run ends; Block::fault says why
};

/// `mask`: active lanes whose guard holds; may be 0 only for branches.
using Handler = Step (*)(Warp &, const Instr &, uint32_t mask);

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;

struct Instr {
  Handler run = nullptr;
  uint32_t d = kNone, d2 = kNone, a = kNone, b = kNone, c = kNone, e = kNone; // slots
  uint64_t imm = 0;
  uint32_t list = 0, listSize = 0; // Program::lists
  uint32_t target = kNone, reconverge = kNone;
  uint32_t guard = kNone;
  uint32_t source = 0; // index of the PTX instruction
  uint16_t cost = 1;
  bool guardNegated = false;
  bool waitsForLoads = false;
  bool load = false;       // d and the list are ready after the memory latency
  bool ends = false;       // ret, exit, trap: lanes go no further
  bool indexed = false;    // brx.idx: the list holds its targets
  bool wideAddress = true; // the address register has 64 bits
  bool strong = false;     // volatile, relaxed, acquire, release: orders what others do
  bool tracked = false;    // names registers that a wgmma of the program uses
  Space space = Space::Generic;
  uint8_t access = 0; // bytes that one lane accesses
  uint8_t sub = 0;    // variant, the handler's business
};

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  ClusterX,
  ClusterY,
  ClusterZ,
  NclusterX,
  NclusterY,
  NclusterZ,
  ClusterRank,
  ClusterSize,
  IsExplicitCluster,
  ClusterCtaX,
  ClusterCtaY,
  ClusterCtaZ,
  ClusterNctaX,
  ClusterNctaY,
  ClusterNctaZ,
  DynamicSmemSize,
  TotalSmemSize,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
};

struct SpecialSlot {
  Special kind;
  uint32_t slot;
};

struct ParamSlot {
  std::string_view name;
  uint32_t offset = 0, bytes = 0, begin = 0;
};

/// One address operand of an instruction that has several.
struct AddressRef {
  uint32_t slot = kNone; // kNone: the offset alone
  bool wide = true;
  Space space = Space::Generic;
  uint64_t offset = 0;
};

/// An ordinary register operand of an instruction; `reg` counts Program::trackedRegisters.
struct TrackedUse {
  uint32_t reg = 0;
  bool write = false;
};

/// A decoded entry.
struct Program {
  Module module;
  const Function *function = nullptr;
  std::vector<Instr> code;
  std::vector<uint32_t> lists;
  std::vector<AddressRef> addresses;
  std::vector<std::byte> registerImage; // constants in place, the rest zero
  std::vector<SpecialSlot> specials;
  std::vector<ParamSlot> params;
  uint32_t paramBytes = 0;
  uint32_t sharedBytes = 0;              // static; addresses from kSharedBase
  uint32_t dynamicBase = 0;              // offset of the dynamic shared memory
  uint32_t localBytes = 0;               // per lane
  std::vector<const Variable *> globals; // the first regions, in this order; buffers follow
  std::vector<std::string> approximate, ignored;
  bool readsClock = false;
  uint32_t launchRegisters = 0; // a thread has at the start; 0: setmaxnreg has no effect
  bool communicates = false;    // blocks may talk through global memory: atomics, strong accesses, fences for the GPU
  // For the checker: the smallest access to shared memory in bytes (at most 4), and who names registers of wgmmas.
  uint32_t granule = 4, globalGranule = 4; // and to global memory
  std::vector<std::string_view> trackedRegisters;
  std::vector<TrackedUse> trackedUses; // of instruction pc: from trackedBegin[pc] to trackedBegin[pc + 1]
  std::vector<uint32_t> trackedBegin;
};

struct Region {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  std::string name; // "argument `x`, f32[128, 128]"
};

// Generic address windows. Global regions are 64 GiB apart; the others hold 32-bit addresses in their low half.
inline constexpr uint64_t kGlobalBase = 0x0000'7000'0000'0000;
inline constexpr int kRegionShift = 36;
inline constexpr uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x0200'0000'0000'0000;
inline constexpr uint64_t kParamWindow = 0x0300'0000'0000'0000;
inline constexpr uint32_t kSharedBase = 1024; // shared address 0 is nobody's
// A shared address with rank+1 above this bit is of the cluster's block of that rank; without, of the own block.
inline constexpr int kRankShift = 24;

/// What the blocks of a run share.
struct Grid {
  const Program *program = nullptr;
  std::array<uint32_t, 3> size{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicitCluster = false; // asked for by the launch or the entry
  uint32_t dynamicSmem = 0;
  std::vector<Region> regions;
  std::vector<std::byte> params;
  SourceRef snippet; // what file 1 of `.loc` is; may be null
  uint64_t seed = 0;
  bool instant = false;              // asynchronous operations complete when issued
  bool checks = true;                // wrong uses are faults
  FlightRecorder *flights = nullptr; // what is in flight is recorded there

  Span spanOf(const Instr &instr) const;
  /// "line 12" of the snippet, or of the PTX.
  std::string lineOf(const Instr &instr) const;
  std::string_view opcodeOf(const Instr &instr) const;
  /// What our compiler says of it in a comment behind it, `// lanescope: …`; empty: nothing.
  std::string_view noteOf(const Instr &instr) const;
};

enum class SplitState : uint8_t { Free, Ready, Merging, AtBarrier, AtMbarrier, AtGroup, AtCluster, AtRegisters };
inline constexpr uint32_t kWgmmaWait = 1; // Split::waitFor in AtGroup: + the warp of the warpgroup that is missing

struct Split {
  SplitState state = SplitState::Free;
  uint32_t pc = 0;
  uint32_t rpc = kNone; // where it merges into its parent
  uint32_t mask = 0;
  int32_t parent = -1;
  uint32_t children = 0, arrived = 0; // of a Merging split
  uint32_t waitFor = 0;               // barrier number, mbarrier address, kWgmmaWait, registers a thread
  uint64_t waitPhase = 0;             // of the mbarrier, when the wait began
  bool timedOut = false;              // a try_wait that must answer "no" now
  uint32_t idlePolls = 0;             // failed tests since anything happened
  uint64_t pollEffects = 0;           // Block::effects at the last failed test
};

struct Warp {
  Block *block = nullptr;
  std::byte *regs = nullptr;
  uint64_t time = 0;
  uint64_t loadsReady = 0;
  uint32_t id = 0;
  uint32_t live = 0; // lanes that have not exited
  uint32_t current = 0;
  bool runnable = true;
  std::vector<Split> splits;
  std::vector<LaneGroups> groups; // cp.async.bulk (0…31) and cp.async (32…63) groups per lane; empty until used
  WgmmaQueue wgmma;
  std::vector<AsyncOp> held; // of groups: completed, and data yet to move (Async.h)
  // Of the cluster barrier: lanes that have arrived in this phase, and in any without having waited.
  uint32_t clusterArrived = 0, clusterPending = 0;
  uint32_t ownRegisters = 0;    // a thread, of the GPU's register file; 0: not counted
  std::vector<std::byte> local; // per lane localBytes in a row

  Split &split() { return splits[current]; }
  template <class T> T *reg(uint32_t slot) { return reinterpret_cast<T *>(regs + slot); }
  uint32_t &predicate(uint32_t slot) { return *reinterpret_cast<uint32_t *>(regs + slot); }
};

/// Waiting: nothing can happen in the block by itself.
enum class RunState : uint8_t { Running, Waiting, Finished, Faulted };

struct Block {
  Grid *grid = nullptr;
  Cluster *cluster = nullptr;
  uint32_t clusterRank = 0;
  std::array<uint32_t, 3> id{0, 0, 0};
  uint32_t linear = 0;
  uint32_t sm = 0;
  uint64_t start = 0; // cycle
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  std::vector<std::byte> registers;
  std::array<NamedBarrier, kNamedBarriers> barriers;
  MbarrierTable mbarriers;
  AsyncQueue async;
  std::vector<AsyncOp> landing;    // completed, and their mbarrier's phase has yet to be observed (Async.h)
  std::shared_ptr<Checker> checks; // of the block's cluster; null: nothing is checked
  std::string printed;
  std::optional<Diagnostic> fault;
  Diagnostics warnings;
  uint64_t executed = 0; // warp instructions
  uint64_t effects = 0;  // things others may wait for: changed memory, arrivals, completions
  uint32_t liveWarps = 0;
  uint32_t freeRegisters = 0; // for setmaxnreg, in registers of a thread times warps

  void begin(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> id, uint32_t sm, uint64_t start);
  /// Runs until the block ends, faults, can only wait, has executed `budget` more instructions, or its next event is
  /// later than `until`.
  RunState run(uint64_t budget, uint64_t until);
  /// When something happens next by itself; UINT64_MAX: never.
  uint64_t nextTime() const;
  uint64_t endTime() const;
  /// "block (0, 0, 0)"
  std::string name() const;
};

/// The value of an address operand in one lane.
uint64_t addressIn(Warp &warp, const AddressRef &ref, uint32_t lane);
/// Ends the run with an error at `instr`; `lane` kNone: the whole warp.
Step fault(Warp &warp, const Instr &instr, std::string kind, std::string message, uint32_t lane = kNone,
           std::vector<Note> notes = {});
/// The block of the cluster with this rank; null: there is none.
Block *blockOfRank(const Block &block, uint32_t rank);
/// Wakes splits that wait for the mbarrier at `address`; its phase has completed.
void wakeMbarrierWaiters(Block &block, uint32_t address, uint64_t time);
void wakeGroupWaiters(Warp &warp, uint64_t time);

/// Removes `mask` lanes from the current split: they have exited.
Step exitLanes(Warp &warp, uint32_t mask);
/// A branch of `taken` lanes of the current split to instr.target.
Step branchLanes(Warp &warp, const Instr &instr, uint32_t taken);
void mergeSplit(Warp &warp);

} // namespace lanescope::core::emulator
