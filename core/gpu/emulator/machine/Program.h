// A decoded kernel. The decoder makes it from PTX, and the machine runs it.
//
// Each virtual register has a slot in the warp's register file with a row of 32 lanes (u16[32], u32[32], u64[32]). A
// predicate is one 32-bit lane mask. Immediates and special registers have slots, too, which are filled when the warp
// starts. So a handler reads every operand in the same way.
#pragma once

#include "core/gpu/emulator/machine/Tcgen05Form.h"
#include "core/gpu/emulator/machine/TmemMove.h"
#include "core/gpu/emulator/ptx/PtxModule.h"
#include "core/gpu/kernel/GpuTarget.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

struct Warp;
struct Instr;

enum class Step : uint8_t {
  Next,    // go on with the next instruction
  Jump,    // the handler has set the split's pc
  Yield,   // let other warps run, then go on with the next instruction
  Later,   // let other warps run, then execute this instruction again
  Blocked, // the handler has put the split to sleep
  Gone,    // the split has ended, or another one is current
  Fault,   // the run ends; Block::fault has the reason
};

/// `mask`: the active lanes whose guard holds. It may be 0 only for branches.
using Handler = Step (*)(Warp &, const Instr &, uint32_t mask);

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;

/// How an ordinary instruction uses registers that some wgmma of the program uses.
enum class Tracked : uint8_t { None, Reads, Writes };

struct Instr {
  Handler run = nullptr;
  uint32_t d = kNone, d2 = kNone, a = kNone, b = kNone, c = kNone, e = kNone; // slots
  uint64_t imm = 0;
  int32_t ahead =
      0; // distance in bytes to a later access by the same register, to prefetch into the host's cache; 0: unknown
  uint32_t list = 0, listSize = 0; // operands in Program::lists
  uint32_t target = kNone, reconverge = kNone;
  uint32_t guard = kNone;
  uint32_t source = 0; // index of the PTX instruction
  uint16_t cost = 1;
  bool guardNegated = false;
  bool waitsForLoads = false;
  bool load = false;       // d and the list are ready after the memory latency
  bool ends = false;       // ret, exit: the lanes end here
  bool indexed = false;    // brx.idx: the list holds its targets
  bool wideAddress = true; // the address register has 64 bits
  bool findsRow = false;   // Executed by all lanes, it records in Warp::row how its addresses are arranged.
  // true if an earlier instruction has filled Warp::row for the same register, so that only the register must be
  // compared
  bool rowKnown = false;
  bool strong = false;          // volatile, relaxed, acquire, release: it may order accesses of other threads
  bool releases = false;        // release, acq_rel: it publishes earlier accesses
  bool acquires = false;        // acquire, acq_rel
  bool system : 1 = false;      // its scope is `.sys`: other devices take part
  bool narrow : 1 = false;      // its scope is `.cta` or `.cluster`: other clusters take no part
  bool inBlock : 1 = false;     // its scope is `.cta`
  bool noncoherent : 1 = false; // ld.global.nc: the cache of read-only data
  Tracked tracked = Tracked::None;
  Space space = Space::Generic;
  uint8_t access = 0; // bytes that one lane accesses
  uint8_t sub = 0;    // variant, defined by the handler
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
  Zero,
  WorkspaceHigh, // the workspace of a cooperative launch
  WorkspaceLow,
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
  uint32_t laneBytes = 4; // 2: the lower half of the register; 8: the register, zero-extended
};

struct AddressSlot {
  uint32_t slot = 0, bytes = 4; // bytes per lane
};

struct ParamSlot {
  std::string_view name;
  uint32_t offset = 0, bytes = 0, begin = 0;
};

/// An instruction's operand in an ordinary register. `reg` is an index into Program::trackedRegisters.
struct TrackedUse {
  uint32_t reg = 0;
  bool write = false;
  bool copied = false;              // the value is only copied, to another register or to local memory
  bool constant = false;            // the written value is constant, or reloaded from local memory
  uint32_t from = 0, fromCount = 0; // the written value is a copy of these registers, in Program::trackedSources
};

/// The place of a call's argument or result: a register, or bytes of a frame in local memory.
struct CallValue {
  bool memory = false;
  uint32_t slot = kNone; // The register. For a value in memory, the register with the frame's address; kNone: frame 0.
  uint32_t bytes = 0;    // bytes per lane
  uint64_t offset = 0;   // in the frame
};

/// The address of an object in a frame, held in a register of the function.
struct FrameAddress {
  uint32_t slot = 0;
  uint64_t offset = 0;
};

/// A register's place in the warp's register file; a predicate takes 4 bytes for all lanes.
struct SavedRegister {
  uint32_t slot = 0, laneBytes = 0;
};

/// A function of the program. The first one is the entry, whose frame begins at local address 0.
struct Routine {
  std::string_view name;
  uint32_t begin = 0; // pc
  uint32_t frameBytes = 0;
  bool addressTaken = false;
  std::vector<CallValue> params, results;
  std::vector<FrameAddress> frameAddresses; // the first one is the address of the frame itself
  std::vector<SavedRegister>
      saved; // registers that a call saves: all registers, if the function may be called again before it returns
};

struct Call {
  uint32_t caller = 0, routine = kNone; // indices in Program::routines; kNone: a register has the address
  std::vector<CallValue> arguments, results;
};

/// The address of another object, used to initialise a variable.
struct AddressInitialiser {
  uint32_t global = 0; // index in Program::globals
  uint64_t at = 0, value = 0;
  uint32_t bytes = 8;
};

/// An instruction that reads clocks as ordinary operands. Its own handler runs after the clocks have been read.
struct ClockUse {
  uint32_t pc = 0;
  Handler run = nullptr;
  struct Read {
    Special kind;
    uint32_t slot;
  };
  std::vector<Read> reads;
};

/// A static variable of shared memory.
struct SharedVariable {
  std::string_view name; // the name in the PTX; C++ names are mangled
  uint32_t address = 0;
  uint64_t bytes = 0;
};

/// A decoded entry.
struct Program {
  std::shared_ptr<Module> module;                 // shared between copies; decoding is the last step that changes it
  const GpuTarget *machine = &defaultGpuTarget(); // the GPU that the emulator imitates for this module
  const Function *function = nullptr;
  std::vector<Instr> code;
  std::vector<uint32_t> lists;
  std::vector<AddressRef> addresses;
  std::vector<TmemMove> tmemMoves;          // tcgen05.ld, .st: Instr::imm is the index
  std::vector<Tcgen05Form> tensorForms;     // tcgen05.mma, .cp, .shift: Instr::imm is the index
  bool tensorMemory = false;                // the program has tcgen05 instructions
  std::vector<AddressSlot> sharedAddresses; // constants that are addresses of shared variables
  bool pairs = false;                       // some instruction has `.cta_group::2`
  // The number in `.cta_group::`, which is the same in the whole kernel; 0: no instruction has one.
  uint32_t tensorBlocks = 0;
  std::vector<std::byte> registerImage; // the initial registers: constants at their places, zeros elsewhere
  struct Stretch {
    uint32_t begin = 0, end = 0;
  };
  std::vector<Stretch> fresh; // the parts of registerImage that a block does not take over from the previous block
  std::vector<SpecialSlot> specials;
  std::vector<ParamSlot> params;
  uint32_t paramBytes = 0;
  uint32_t sharedBytes = 0;                    // bytes of static variables; their addresses begin at kSharedBase
  std::vector<SharedVariable> sharedVariables; // the static variables, by address
  uint32_t dynamicBase = 0;                    // offset of the dynamic shared memory
  uint32_t localBytes = 0;                     // bytes per lane for the entry; calls need more
  std::vector<Routine> routines;
  std::vector<Call> calls; // Instr::imm is the index
  uint32_t stackTop =
      kNone; // the 64-bit register with the address at which the next frame begins; kNone: the program has no calls
  bool usesHeap = false;           // the program calls malloc
  bool readsGridWorkspace = false; // the program reads %envreg1 or %envreg2, the workspace of a cooperative launch
  std::vector<AddressInitialiser> addressInitialisers;
  std::vector<const Variable *> globals; // the variables of the first regions, in this order; buffers follow
  std::vector<std::string> approximate, ignored;
  uint32_t fused = 0; // sums that run fused with a product
  bool readsClock = false;
  std::vector<ClockUse> clockUses; // by pc
  uint32_t launchRegisters = 0;    // registers per thread at the start; 0: setmaxnreg has no effect
  bool communicates =
      false; // blocks may communicate through global memory: atomics, strong accesses, fences of GPU scope
  bool cancelsClusters = false; // its clusters may take over clusters that have not started
  // For the checker: the size of the smallest access to global memory in bytes (at most 4), and the uses of registers
  // of wgmmas.
  uint32_t globalGranule = 4;
  // By pc: a number that is the same for instructions with one handler at one place of the snippet.
  std::vector<uint32_t> places;
  std::vector<std::string_view> trackedRegisters;
  std::vector<TrackedUse> trackedUses; // the uses by instruction pc are at trackedBegin[pc] to trackedBegin[pc + 1]
  std::vector<uint32_t> trackedSources;
  std::vector<uint32_t> trackedBegin;
};

} // namespace lanescope::core::emulator
