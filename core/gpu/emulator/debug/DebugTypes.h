// What the debugger says of a stopped run, as plain data: where it is, who is where, what memory holds and what is in
// flight. Debugger.h gives them.
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

/// A warp of the launch: the block's linear number (x fastest) and the warp's number in it.
struct WarpRef {
  uint32_t block = 0, warp = 0;
  auto operator<=>(const WarpRef &) const = default;
};

/// Why the run stands.
enum class StopReason : uint8_t {
  Start,      // nothing has run
  Step,       // as far as was asked for
  Breakpoint, // `breakpoints` say which
  Watchpoint, // what they watch has changed
  Fault,      // at the moment before the instruction that faults, or where nobody can go on
  End,        // all blocks have ended
  Limit,      // interrupted, or the time was up
};

/// Where a warp is in the code. A warp that has diverged has a place for each split.
struct CodePlace {
  uint32_t pc = 0;           // number of the decoded instruction
  Span ptx;                  // the PTX instruction; unknown: the warp has ended
  Span snippet;              // the line it comes from; unknown: of no snippet
  uint32_t ptxLine = 0;      // from 1; 0: unknown
  uint32_t snippetLine = 0;  // from 1; 0: none
  uint32_t lanes = 0;        // a bit for each
  std::string opcode;        // "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"
  std::string waitsFor = {}; // "phase 1 of the mbarrier `full` at …"; empty: it can run
};

/// A warp of a block that runs now.
struct WarpPlace {
  WarpRef warp;
  std::array<uint32_t, 3> blockId{};
  uint64_t cycle = 0;            // of the model
  std::vector<CodePlace> places; // of its splits, the one that runs next first; empty: it has ended
};

/// The run at a standstill. A moment is an instruction of a warp or the landing of copies, numbered from 0 in the order
/// in which they happen, which is the same in each run of the same input and seed; it is still to happen.
struct Stop {
  StopReason reason = StopReason::Start;
  uint64_t moment = 0;
  WarpRef warp;                        // that runs next; at a landing, or when nothing runs, the one before it
  bool landing = false;                // copies of its block land next, no instruction runs
  std::optional<CodePlace> place = {}; // of that warp; none: nothing runs
  uint64_t cycle = 0;
  std::vector<uint32_t> breakpoints = {}; // that have made it stop, by their numbers
  std::string what = {};                  // of a watchpoint: "shared byte 2048 of block 0: 0 → 63"
  std::optional<Diagnostic> fault = {};
};

/// What a condition may look at: the warp that is about to run an instruction.
class Glance {
public:
  virtual ~Glance() = default;
  virtual WarpRef warp() const = 0;
  virtual std::array<uint32_t, 3> blockId() const = 0;
  virtual uint32_t lanes() const = 0; // that run it
  virtual uint64_t cycle() const = 0;
  virtual uint64_t moment() const = 0;
  virtual uint32_t ptxLine() const = 0; // of the instruction
  /// A register of a lane, by its PTX name ("%r12"), zero-extended; none: there is no such register.
  virtual std::optional<uint64_t> value(std::string_view name, uint32_t lane) const = 0;
};

/// Stops a warp before it runs an instruction of a line. `line` counts in the snippet where `inSnippet`, else in the
/// PTX; a line of which nothing was made stands for the next one that has code.
struct Breakpoint {
  uint32_t line = 0;
  bool inSnippet = true;
  std::function<bool(const Glance &)> condition = {}; // none: always
  std::string text = {};                              // of the condition, for lists
  bool enabled = true;
  uint32_t ignored = 0; // times that each Debugger::resume() forward passes it before it stops
};

/// Stops when what is watched has changed: bytes of memory, or the state of an mbarrier.
struct Watchpoint {
  enum class What : uint8_t { Shared, Global, Mbarrier };
  What what = What::Shared;
  uint32_t block = 0;   // of Shared and Mbarrier: linear number
  uint32_t buffer = 0;  // of Global: number in Launch::buffers()
  uint64_t address = 0; // Shared, Mbarrier: a shared address; Global: byte of the buffer
  uint32_t bytes = 4;   // of Shared and Global, at most 16
  std::string text = {};
  bool enabled = true;
};

/// A virtual register of a warp, as the PTX calls it.
struct RegisterValue {
  std::string name;
  uint32_t bits = 32; // 1: a predicate, whose lanes hold 0 or 1
  std::array<uint64_t, 32> lanes{};
};

/// Who wrote a stretch of shared memory last, as the checker knows it.
struct SharedWriter {
  uint32_t address = 0, bytes = 0;
  std::string who;      // "warp 3", "the copy of warp 0"; empty: nobody has
  CodePlace place = {}; // of the instruction
};
/// Shared memory of a block: addresses as the PTX has them.
struct SharedMemory {
  uint32_t address = 0;
  std::vector<std::byte> bytes;
  std::vector<SharedWriter> writers; // ascending, over all of it; empty: nothing is checked
  std::vector<uint32_t> flights;     // numbers in Debugger::flights() of copies that touch it
};

struct BarrierState {
  bool named = false; // of bar.sync: `address` is its number
  uint32_t address = 0;
  std::string name;                   // of the snippet, where known
  uint64_t phase = 0;                 // completed phases
  uint32_t expected = 0, pending = 0; // arrivals: in a phase, still missing
  int64_t bytes = 0;                  // of the phase's copies that have yet to land
  std::vector<WarpRef> waiting = {};
};

/// A copy, a matrix operation or a group of them on its way.
struct Flight {
  enum class Kind : uint8_t { Copy, Wgmma, TensorCore };
  Kind kind = Kind::Copy;
  WarpRef warp; // who issued it
  uint32_t lane = 0;
  CodePlace place;              // of the instruction
  uint64_t issued = 0, due = 0; // cycles
  uint32_t bytes = 0;
  bool landed = false; // its data have moved, and somebody has yet to wait for it
  std::string from = {}, to = {};
  std::string signals = {};                   // the mbarrier
  std::optional<uint32_t> sharedAddress = {}; // of its bytes in the block `sharedBlock`
  uint32_t sharedBlock = 0;
};

/// An edge of who waits for whom.
struct WaitEdge {
  WarpRef from;     // waits
  std::string what; // "phase 1 of the mbarrier `full` at shared address 1024: 1 arrival and 8192 bytes missing"
  std::vector<WarpRef> on = {};       // that have yet to come; empty: not known, or a flight
  std::vector<uint32_t> flights = {}; // numbers in Debugger::flights()
};

/// Tensor memory of a block: 128 lanes of columns of 32 bits.
struct TensorMemoryState {
  struct Allocation {
    uint32_t column = 0, columns = 0;
    bool freed = false;
  };
  std::vector<Allocation> allocations;
  uint32_t columns = 0;        // in `cells`
  std::vector<uint32_t> cells; // lane after lane; empty: nothing is allocated
};

} // namespace lanescope::core
