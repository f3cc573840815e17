// A decoded kernel: what the decoder makes of PTX and the machine runs.
//
// Registers: each virtual register owns a slot of the warp's register file, 32 lanes in a row (u16[32], u32[32],
// u64[32]); a predicate is one 32-bit lane mask. Immediates and special registers are slots too, filled when the warp
// starts, so a handler reads every operand the same way.
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
  Next,    // go on behind the instruction
  Jump,    // the handler has set the split's pc
  Yield,   // go on behind the instruction, but let others run first
  Later,   // let others run first, and come to the instruction again
  Blocked, // the handler has put the split to sleep
  Gone,    // the split is no more, or another one is current
  Fault,   // the run ends; Block::fault says why
};

/// `mask`: active lanes whose guard holds; may be 0 only for branches.
using Handler = Step (*)(Warp &, const Instr &, uint32_t mask);

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;

/// How an ordinary instruction uses registers that a wgmma of the program uses.
enum class Tracked : uint8_t { None, Reads, Writes };

struct Instr {
  Handler run = nullptr;
  uint32_t d = kNone, d2 = kNone, a = kNone, b = kNone, c = kNone, e = kNone; // slots
  uint64_t imm = 0;
  int32_t ahead = 0; // bytes to where a later access by the register will be, for the host's cache; 0: nothing known
  uint32_t list = 0, listSize = 0; // Program::lists
  uint32_t target = kNone, reconverge = kNone;
  uint32_t guard = kNone;
  uint32_t source = 0; // index of the PTX instruction
  uint16_t cost = 1;
  bool guardNegated = false;
  bool waitsForLoads = false;
  bool load = false;       // d and the list are ready after the memory latency
  bool ends = false;       // ret, exit: lanes go no further
  bool indexed = false;    // brx.idx: the list holds its targets
  bool wideAddress = true; // the address register has 64 bits
  bool findsRow = false;   // by all lanes, it leaves in Warp::row how its addresses lie
  bool rowKnown = false;   // one before it has done so, if Warp::row is of this register
  bool strong = false;     // volatile, relaxed, acquire, release: orders what others do
  bool releases = false;   // release, acq_rel: what came before is published with it
  bool acquires = false;   // acquire, acq_rel
  bool system = false;     // of the scope `.sys`: other devices take part
  bool narrow = false;     // of the scope `.cta` or `.cluster`: other clusters take no part
  bool inBlock = false;    // its scope is `.cta`
  Tracked tracked = Tracked::None;
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
  Zero,
  WorkspaceHigh, // of a cooperative launch
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
  uint32_t laneBytes = 4; // 2: the lower half, 8: zero-extended
};

struct AddressSlot {
  uint32_t slot = 0, bytes = 4; // of a lane
};

struct ParamSlot {
  std::string_view name;
  uint32_t offset = 0, bytes = 0, begin = 0;
};

/// An ordinary register operand of an instruction; `reg` counts Program::trackedRegisters.
struct TrackedUse {
  uint32_t reg = 0;
  bool write = false;
  bool copied = false;   // it is read to be copied, to another register or to local memory, and for nothing else
  bool constant = false; // what is written, or it is reloaded from local memory
  uint32_t from = 0, fromCount = 0; // what is written is a copy of these registers, in Program::trackedSources
};

/// Where a value of a call is: a register, or bytes of a frame in local memory.
struct CallValue {
  bool memory = false;
  uint32_t slot = kNone; // the register; of memory the register that holds the frame's address, kNone: frame 0
  uint32_t bytes = 0;    // of a lane
  uint64_t offset = 0;   // in the frame
};

/// The address of something in a frame, in a register of the function.
struct FrameAddress {
  uint32_t slot = 0;
  uint64_t offset = 0;
};

/// A register's place in the warp's register file; a predicate has 4 bytes for all lanes.
struct SavedRegister {
  uint32_t slot = 0, laneBytes = 0;
};

/// A function of the program; the first is the entry, whose frame begins at local address 0.
struct Routine {
  std::string_view name;
  uint32_t begin = 0; // pc
  uint32_t frameBytes = 0;
  bool addressTaken = false;
  std::vector<CallValue> params, results;
  std::vector<FrameAddress> frameAddresses; // the first is that of the frame itself
  std::vector<SavedRegister> saved;         // what calls keep: all registers of one that may be called again meanwhile
};

struct Call {
  uint32_t caller = 0, routine = kNone; // of Program::routines; kNone: a register has its address
  std::vector<CallValue> arguments, results;
};

/// An address that a variable starts with.
struct AddressInitialiser {
  uint32_t global = 0; // of Program::globals
  uint64_t at = 0, value = 0;
  uint32_t bytes = 8;
};

/// An instruction that reads clocks as other operands: its own handler runs when they have been read.
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
  std::string_view name; // as PTX has it: C++'s are mangled
  uint32_t address = 0;
  uint64_t bytes = 0;
};

/// A decoded entry.
struct Program {
  std::shared_ptr<Module> module;                 // copies share it; it stays as decoding has left it
  const GpuTarget *machine = &defaultGpuTarget(); // the GPU that the emulator is for this module
  const Function *function = nullptr;
  std::vector<Instr> code;
  std::vector<uint32_t> lists;
  std::vector<AddressRef> addresses;
  std::vector<TmemMove> tmemMoves;          // tcgen05.ld, .st: Instr::imm is the number
  std::vector<Tcgen05Form> tensorForms;     // tcgen05.mma, .cp, .shift: likewise
  bool tensorMemory = false;                // there is some tcgen05
  std::vector<AddressSlot> sharedAddresses; // constants that are addresses of shared variables
  bool pairs = false;                       // something is `.cta_group::2`
  uint32_t tensorBlocks = 0;                // of `.cta_group::`, the same in all of a kernel; 0: not said
  std::vector<std::byte> registerImage;     // constants in place, the rest zero
  struct Stretch {
    uint32_t begin = 0, end = 0;
  };
  std::vector<Stretch> fresh; // of it, what a block does not take over from the one before it
  std::vector<SpecialSlot> specials;
  std::vector<ParamSlot> params;
  uint32_t paramBytes = 0;
  uint32_t sharedBytes = 0;                    // static; addresses from kSharedBase
  std::vector<SharedVariable> sharedVariables; // the static ones, by address
  uint32_t dynamicBase = 0;                    // offset of the dynamic shared memory
  uint32_t localBytes = 0;                     // per lane, of the entry; calls take more
  std::vector<Routine> routines;
  std::vector<Call> calls;         // Instr::imm is the number
  uint32_t stackTop = kNone;       // a register of 64 bits: where the next frame begins; none: nothing is called
  bool usesHeap = false;           // malloc
  bool readsGridWorkspace = false; // %envreg1, %envreg2: of a cooperative launch
  std::vector<AddressInitialiser> addressInitialisers;
  std::vector<const Variable *> globals; // the first regions, in this order; buffers follow
  std::vector<std::string> approximate, ignored;
  uint32_t fused = 0; // sums that are one operation with a product
  bool readsClock = false;
  std::vector<ClockUse> clockUses; // by pc
  uint32_t launchRegisters = 0;    // a thread has at the start; 0: setmaxnreg has no effect
  bool communicates = false;    // blocks may talk through global memory: atomics, strong accesses, fences for the GPU
  bool cancelsClusters = false; // clusters take over others that have not started
  // For the checker: the smallest access to global memory in bytes (at most 4), and who names registers of wgmmas.
  uint32_t globalGranule = 4;
  std::vector<uint32_t> places; // by pc: the same number for what one handler does at one place of the snippet
  std::vector<std::string_view> trackedRegisters;
  std::vector<TrackedUse> trackedUses; // of instruction pc: from trackedBegin[pc] to trackedBegin[pc + 1]
  std::vector<uint32_t> trackedSources;
  std::vector<uint32_t> trackedBegin;
};

} // namespace lanescope::core::emulator
