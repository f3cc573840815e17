// The state of a stopped run as plain data: its position, the warps' places, memory contents and operations in flight.
// Debugger.h returns them.
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

/// A warp of the launch: the block's number (x fastest; with several devices, all blocks of device 0 come first, then
/// those of device 1, …) and the warp's number in it.
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
/// The number of a block over all devices; none: the launch has no such block.
std::optional<uint32_t> blockNumberOf(const Launch &launch, DeviceBlock block);
/// "block 3"; in a grid of several dimensions "block (0, 3)", the outermost one first; with several devices "device 1
/// block 3".
std::string blockWords(const Launch &launch, uint32_t number);
/// The same for a grid of blocks on each of several devices.
std::string blockWords(const std::array<uint32_t, 3> &grid, uint32_t devices, DeviceBlock where);

/// Why the run stopped.
enum class StopReason : uint8_t {
  Start,      // nothing has run
  Step,       // stopped where requested
  Breakpoint, // `breakpoints` say which
  Watchpoint, // the watched memory or barrier has changed
  Fault,      // at the moment before the instruction that faults, or when no warp can go on
  End,        // all blocks have ended
  Limit,      // interrupted, or past the time limit
};

/// A warp's place in the code. A warp that has diverged has a place for each split.
struct CodePlace {
  uint32_t pc = 0;           // number of the decoded instruction
  Span ptx;                  // the PTX instruction; unknown: the warp has ended
  Span snippet;              // the line it comes from; unknown: not from a snippet
  uint32_t ptxLine = 0;      // from 1; 0: unknown
  uint32_t snippetLine = 0;  // from 1; 0: none
  uint32_t lanes = 0;        // one bit per lane
  std::string opcode;        // "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"
  std::string waitsFor = {}; // "phase 1 of the mbarrier `full` at …"; empty: it can run
};

/// A warp of a block that runs now.
struct WarpPlace {
  WarpRef warp;
  std::array<uint32_t, 3> blockId{}; // in its device's grid
  uint64_t cycle = 0;                // modelled
  std::vector<CodePlace> places;     // one per split, the one that runs next first; empty: the warp has ended
};

/// The position of a stopped run. A moment is one event: an instruction of a warp, or the landing of copies. Moments
/// are numbered from 0 in their order, which is the same in each run with the same input and seed. The moment named
/// here is yet to happen.
struct Stop {
  StopReason reason = StopReason::Start;
  uint64_t moment = 0;
  WarpRef warp;         // the warp that runs next; at a landing, or when nothing runs, the warp before it
  bool landing = false; // the next event is the landing of its block's copies, not an instruction
  std::optional<CodePlace> place = {}; // the warp's place; none: nothing runs
  uint64_t cycle = 0;
  std::vector<uint32_t> breakpoints = {}; // numbers of the breakpoints that stopped it
  std::string what = {};                  // the change of a watchpoint: "shared byte 2048 of block 0: 0 → 63"
  std::optional<Diagnostic> fault = {};
};

/// What a condition can read: the warp that is about to run an instruction.
class Glance {
public:
  virtual ~Glance() = default;
  virtual WarpRef warp() const = 0;
  virtual uint32_t device() const = 0;
  virtual std::array<uint32_t, 3> blockId() const = 0;
  virtual uint32_t lanes() const = 0; // the lanes that run it
  virtual uint64_t cycle() const = 0;
  virtual uint64_t moment() const = 0;
  virtual uint32_t ptxLine() const = 0; // the instruction's
  /// A register of a lane, by its PTX name ("%r12"), zero-extended; none: there is no such register.
  virtual std::optional<uint64_t> value(std::string_view name, uint32_t lane) const = 0;
};

/// Stops a warp before it runs an instruction of a line. `line` counts in the snippet if `inSnippet`, else in the PTX.
/// A line without code stands for the next one that has some.
struct Breakpoint {
  uint32_t line = 0;
  bool inSnippet = true;
  std::function<bool(const Glance &)> condition = {}; // none: always
  std::string text = {};                              // of the condition, for lists
  bool enabled = true;
  uint32_t ignored = 0; // how many times each Debugger::resume() forward passes it before it stops
};

/// Stops after the watched bytes of memory, or the state of an mbarrier, have changed.
struct Watchpoint {
  enum class What : uint8_t { Shared, Global, Mbarrier };
  What what = What::Shared;
  uint32_t block = 0;   // Shared, Mbarrier: its number over all devices
  uint32_t buffer = 0;  // Global: index in Launch::buffers()
  uint64_t address = 0; // Shared, Mbarrier: a shared address; Global: byte of the buffer, over all devices' copies
  uint32_t bytes = 4;   // Shared, Global: at most 16
  std::string text = {};
  bool enabled = true;
};

/// A virtual register of a warp, as the PTX calls it.
struct RegisterValue {
  std::string name;
  uint32_t bits = 32; // 1: a predicate, whose lanes hold 0 or 1
  std::array<uint64_t, 32> lanes{};
};

/// The last writer of a stretch of shared memory, as the checker recorded it.
struct SharedWriter {
  uint32_t address = 0, bytes = 0;
  std::string who;      // "warp 3", "the copy of warp 0"; empty: not written
  CodePlace place = {}; // the writing instruction
};
/// Shared memory of a block: addresses as the PTX has them.
struct SharedMemory {
  uint32_t address = 0;
  std::vector<std::byte> bytes;
  std::vector<SharedWriter> writers; // ascending, and they cover all of it; empty: nothing is checked
  std::vector<uint32_t> flights;     // copies that touch it: indices in Debugger::flights()
};

struct BarrierState {
  bool named = false; // a bar.sync barrier, whose number is `address`
  uint32_t address = 0;
  std::string name;                   // in the snippet, if known
  uint64_t phase = 0;                 // completed phases
  uint32_t expected = 0, pending = 0; // arrivals: per phase, and still missing
  int64_t bytes = 0;                  // bytes of the phase's copies that have yet to land
  std::vector<WarpRef> waiting = {};
};

/// An operation or group of operations in flight: a copy or a matrix operation.
struct Flight {
  enum class Kind : uint8_t { Copy, Wgmma, TensorCore };
  Kind kind = Kind::Copy;
  WarpRef warp; // the warp that issued it
  uint32_t lane = 0;
  CodePlace place;              // of its instruction
  uint64_t issued = 0, due = 0; // cycles
  uint32_t bytes = 0;
  bool landed = false; // its data have moved, but no warp has waited for it yet
  std::string from = {}, to = {};
  std::string signals = {};                   // the mbarrier it signals
  std::optional<uint32_t> sharedAddress = {}; // its bytes in the block `sharedBlock`
  uint32_t sharedBlock = 0;
};

/// An edge of the graph of waits.
struct WaitEdge {
  WarpRef from;     // the warp that waits
  std::string what; // "phase 1 of the mbarrier `full` at shared address 1024: 1 arrival and 8192 bytes missing"
  std::vector<WarpRef> on = {};       // warps that have yet to arrive; empty: unknown, or a flight
  std::vector<uint32_t> flights = {}; // indices in Debugger::flights()
};

/// Tensor memory of a block: 128 lanes of columns of 32 bits.
struct TensorMemoryState {
  struct Allocation {
    uint32_t column = 0, columns = 0;
    bool freed = false;
  };
  std::vector<Allocation> allocations;
  uint32_t columns = 0;        // in `cells`
  std::vector<uint32_t> cells; // lane by lane; empty: nothing is allocated
};

} // namespace lanescope::core
