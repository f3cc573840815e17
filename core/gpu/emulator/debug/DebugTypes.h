// The state of a stopped run as plain data: its position, the places of the warps, memory contents and operations in
// flight. Debugger.h returns them.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

struct Launch;

/// A warp of the launch: the number of its block, and its number in the block. Blocks are counted with x fastest. With
/// several devices, all blocks of device 0 come first, then those of device 1, …
struct WarpRef {
  uint32_t block = 0, warp = 0;
  auto operator<=>(const WarpRef &) const = default;
};

/// A block by its device and its linear number there.
struct DeviceBlock {
  uint32_t device = 0, block = 0;
  auto operator<=>(const DeviceBlock &) const = default;
};
DeviceBlock deviceBlockOf(const std::array<uint32_t, 3> &grid, uint32_t number);
DeviceBlock deviceBlockOf(const Launch &launch, uint32_t number);
/// The number of a block over all devices. Nothing if the launch has no such block.
std::optional<uint32_t> blockNumberOf(const Launch &launch, DeviceBlock block);
/// "block 3"; in a grid of several dimensions "block (0, 3)", with the outermost dimension first; with several devices
/// "device 1 block 3".
std::string blockWords(const Launch &launch, uint32_t number);
/// The same words, for a grid of blocks on each of several devices.
std::string blockWords(const std::array<uint32_t, 3> &grid, uint32_t devices, DeviceBlock where);

/// Why the run stopped.
enum class StopReason : uint8_t {
  Start,      // nothing has run
  Step,       // stopped where requested
  Breakpoint, // `breakpoints` has the numbers of the breakpoints
  Watchpoint, // the watched memory or barrier has changed
  Fault,      // stopped before the instruction that faults, or when no warp can go on
  End,        // all blocks have ended
  Limit,      // interrupted, or past the time limit
};

/// A warp's place in the code. A warp that has diverged has a place for each split.
struct CodePlace {
  uint32_t pc = 0;           // number of the decoded instruction
  Span ptx;                  // the PTX instruction; unknown if the warp has ended
  Span snippet;              // the line that it comes from; unknown if it does not come from a snippet
  uint32_t ptxLine = 0;      // from 1; 0: unknown
  uint32_t snippetLine = 0;  // from 1; 0: none
  uint32_t lanes = 0;        // one bit per lane
  std::string opcode;        // "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"
  std::string waitsFor = {}; // "phase 1 of the mbarrier `full` at …"; empty if the warp can run
};

/// The place of a warp in a running block.
struct WarpPlace {
  WarpRef warp;
  std::array<uint32_t, 3> blockId{}; // in its device's grid
  uint64_t cycle = 0;                // modelled
  // One place per split; the split that runs next comes first; empty if the warp has ended.
  std::vector<CodePlace> places;
};

/// The position of a stopped run. A moment is one event: an instruction of a warp, or the landing of copies. Moments
/// are numbered from 0 in the order in which they happen, which is the same in each run with the same input and seed.
/// The event of the moment named here has not happened yet.
struct Stop {
  StopReason reason = StopReason::Start;
  uint64_t moment = 0;
  WarpRef warp;         // The warp that runs next. At a landing, or when nothing runs, the warp that ran last.
  bool landing = false; // the next event is not an instruction but the landing of the block's copies
  std::optional<CodePlace> place = {}; // the warp's place; nothing if no warp runs
  uint64_t cycle = 0;
  std::vector<uint32_t> breakpoints = {}; // numbers of the breakpoints that stopped the run
  std::string what = {};                  // the change of a watchpoint: "shared byte 2048 of block 0: 0 → 63"
  std::optional<Diagnostic> fault = {};
};

/// The state that a condition can read: that of the warp that is about to execute an instruction.
class Glance {
public:
  virtual ~Glance() = default;
  virtual WarpRef warp() const = 0;
  virtual uint32_t device() const = 0;
  virtual std::array<uint32_t, 3> blockId() const = 0;
  virtual uint32_t lanes() const = 0; // the lanes that execute the instruction
  virtual uint64_t cycle() const = 0;
  virtual uint64_t moment() const = 0;
  virtual uint32_t ptxLine() const = 0; // line of the instruction in the PTX
  /// A register of a lane, by its PTX name ("%r12"), zero-extended. Nothing if there is no such register.
  virtual std::optional<uint64_t> value(std::string_view name, uint32_t lane) const = 0;
};

/// Stops a warp before it executes an instruction of a line. `line` is a line of the snippet if `inSnippet`, otherwise
/// of the PTX. If the line has no code, the breakpoint is at the next line that has code.
struct Breakpoint {
  uint32_t line = 0;
  bool inSnippet = true;
  std::function<bool(const Glance &)> condition = {}; // null: always stops
  std::string text = {};                              // the text of the condition, for lists
  bool enabled = true;
  uint32_t ignored = 0; // how often each forward Debugger::resume() passes the breakpoint before it stops there
};

/// Stops after a change of the watched bytes of memory, or of the state of an mbarrier.
struct Watchpoint {
  enum class What : uint8_t { Shared, Global, Mbarrier };
  What what = What::Shared;
  uint32_t block = 0;  // Shared, Mbarrier: the number of the block over all devices
  uint32_t buffer = 0; // Global: index into Launch::buffers()
  // Shared, Mbarrier: a shared address. Global: a byte of the buffer, counted over the copies of all devices.
  uint64_t address = 0;
  uint32_t bytes = 4; // Shared, Global: at most 16
  std::string text = {};
  bool enabled = true;
};

/// A virtual register of a warp, under its name in the PTX.
struct RegisterValue {
  std::string name;
  uint32_t bits = 32; // 1: a predicate; its lanes hold 0 or 1
  std::array<uint64_t, 32> lanes{};
};

/// The last writer of a stretch of shared memory, as the checker recorded it.
struct SharedWriter {
  uint32_t address = 0, bytes = 0;
  std::string who;      // "warp 3", "the copy of warp 0"; empty if nothing has written the bytes
  CodePlace place = {}; // the writing instruction
};
/// The shared memory of a block. Addresses are those in the PTX.
struct SharedMemory {
  uint32_t address = 0;
  std::vector<std::byte> bytes;
  std::vector<SharedWriter> writers; // in ascending order and without gaps; empty if the run has no checks
  std::vector<uint32_t> flights;     // indices in Debugger::flights() of the copies that touch the bytes
};

struct BarrierState {
  bool named = false; // a bar.sync barrier; its number is `address`
  uint32_t address = 0;
  std::string name;                   // the name in the snippet, if known
  uint64_t phase = 0;                 // completed phases
  uint32_t expected = 0, pending = 0; // the arrivals per phase, and those that are still missing
  int64_t bytes = 0;                  // bytes of the phase's copies that have not landed yet
  std::vector<WarpRef> waiting = {};
};

/// An operation in flight, or a group of them: copies or matrix operations.
struct Flight {
  enum class Kind : uint8_t { Copy, Wgmma, TensorCore };
  Kind kind = Kind::Copy;
  WarpRef warp; // the warp that issued it
  uint32_t lane = 0;
  CodePlace place;              // the place of its instruction
  uint64_t issued = 0, due = 0; // cycles
  uint32_t bytes = 0;
  bool landed = false; // the data have moved, but no warp has waited for the operation yet
  std::string from = {}, to = {};
  std::string signals = {};                   // the mbarrier that it signals
  std::optional<uint32_t> sharedAddress = {}; // the bytes that it touches in the block `sharedBlock`
  uint32_t sharedBlock = 0;
};

/// An edge of the graph of waits.
struct WaitEdge {
  WarpRef from;     // the warp that waits
  std::string what; // "phase 1 of the mbarrier `full` at shared address 1024: 1 arrival and 8192 bytes missing"
  // Warps that have not arrived yet; empty if they are unknown, or if the warp waits for a flight.
  std::vector<WarpRef> on = {};
  std::vector<uint32_t> flights = {}; // indices into Debugger::flights()
};

/// The tensor memory of a block: 128 lanes of 32-bit columns.
struct TensorMemoryState {
  struct Allocation {
    uint32_t column = 0, columns = 0;
    bool freed = false;
  };
  std::vector<Allocation> allocations;
  uint32_t columns = 0;        // number of columns in `cells`
  std::vector<uint32_t> cells; // one lane after another; empty if nothing is allocated
};

} // namespace lanescope::core
