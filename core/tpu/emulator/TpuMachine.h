// The state of a run: subcores with their frames, buffers, copies in flight. Plain data; the files of operations
// (Operations.h) change it, and the Scheduler decides the order of execution.
#pragma once

#include "core/tpu/emulator/TpuBuffers.h"
#include "core/tpu/emulator/Windows.h"
#include "layouts/support/DiagnosticKind.h"

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>

namespace lanescope::core::sparsecore {

class Recorder;

/// A copy, from its start on.
struct Copy {
  bool done = false;
  uint8_t toBeAwaited = 0; // number of semaphores that count its bytes and that no wait has covered yet
  uint32_t place = 0;
  uint32_t subcore = 0; // the subcore that started it, as an index into Machine::subcores
  MemRef source, target;
  bool indirect = false, gather = false, add = false, filtered = false;
  MemRef offsets;                  // the offsets of an indirect copy, if they are in memory
  std::vector<int64_t> offsetList; // the offsets, if they are in a register
  int64_t filter = 0;
  Buffer *sourceSemaphores = nullptr, *targetSemaphores = nullptr;
  int64_t sourceSemaphore = 0, targetSemaphore = 0; // indices into the semaphores
  uint64_t bytes = 0;                               // the number of bytes that it signals
  Step step;                                        // its agent and epoch
  Clock clock;                                      // everything that happened before its start
  double begin = 0, end = 0;                        // times of the cost model
  // The number of scheduler steps after which it may complete by itself; 0: it completes only when a wait needs it.
  uint32_t delay = 0;
};

/// The reason why a subcore does not continue.
struct Waiting {
  enum class For : uint8_t { Nothing, Semaphore, Barrier };
  For what = For::Nothing;
  Buffer *semaphores = nullptr;
  int64_t semaphore = 0;
  int64_t amount = 0;
  bool copy = false; // true if the wait is for a copy: `amount` then counts bytes
  int64_t barrier = 0;
  double since = 0;
  uint32_t place = 0;
};

/// The allocations of a scope, to be freed at its end.
struct Scope {
  std::vector<Buffer *> buffers;
};

struct Subcore {
  uint32_t index = 0;
  const Function *function = nullptr;
  uint32_t functionIndex = 0;
  Location location;
  std::vector<uint64_t> cells;
  std::vector<Content> contents; // contents of the cells, if checks are on
  std::vector<MemRef> refs;      // the frame's memref slots
  uint32_t next = 0;             // index of the next instruction
  bool starting = true;          // at the start of a grid step
  bool done = false;
  Waiting waiting;
  Clock clock;
  order::Epoch epoch = 1; // its own epoch in `clock`
  double time = 0;
  uint64_t instructions = 0, vmemBytes = 0;
  std::vector<Scope> scopes;
  std::map<uint32_t, uint32_t> allocations; // number of times that the subcore has executed each shared allocation
  // The grid's sequential part.
  std::vector<int64_t> gridIndex;
  WindowState windows;

  Step now() const { return {index, epoch}; }
  /// Starts a new epoch: later steps happen after the old `now()`.
  void tick() { clock.raise(index, ++epoch); }
};

struct Machine {
  const Program *program = nullptr;
  uint32_t devices = 1;
  bool checks = true, instant = false;
  uint64_t seed = 0;
  bool tensorCoreTiles = false; // memory without a layout gets the layout of tensorCoreLayout()
  uint64_t vmemBytes = 0;       // VMEM of a vector subcore
  std::mt19937_64 random;
  std::vector<Subcore> subcores;
  std::vector<std::unique_ptr<Buffer>> buffers;
  /// Identifies a group of buffers: operand k of the kernel at a place, or an allocation. An allocation is identified
  /// by its instruction and the number of its earlier executions.
  struct GroupKey {
    uint64_t what = 0; // the operand, or 1 << 63 | function << 40 | instruction
    uint32_t count = 0, device = 0, core = 0, subcore = 0;
    CoreType type = CoreType::VectorSubcore;
    auto operator<=>(const GroupKey &) const = default;
  };
  std::map<GroupKey, Buffer *> groups;
  std::map<const Buffer *, GroupKey> groupOf;
  std::deque<Copy> copies;
  std::vector<uint32_t> inFlight;  // copies that are not complete
  std::vector<uint32_t> unawaited; // completed copies that no wait has covered
  // Agents are subcores and copies in flight. A new copy takes over the number of a finished copy if the new copy's
  // issuer has waited for that copy. So there are only as many agents as copies were ever in flight together.
  std::vector<Step> freeAgents; // the numbers of copies that a wait has covered
  uint32_t agents = 0;
  std::string printed;
  std::optional<Diagnostic> fault;
  Diagnostics warnings;
  std::set<std::pair<uint32_t, uint32_t>> warned; // pairs of places that a warning was given for
  Recorder *recorder = nullptr;

  const Span &place(uint32_t index) const { return program->places[index]; }
  std::string nameOf(const Subcore &subcore) const { return name(subcore.location, devices > 1); }
  /// Records a fault. Only the first one is kept; it ends the run.
  void fail(DiagnosticKind kind, uint32_t place, Message message, std::vector<Note> notes = {});
  /// Records a warning, one for each pair of places.
  void warn(DiagnosticKind kind, uint32_t place, uint32_t other, Message message, std::vector<Note> notes);
  bool failed() const { return fault.has_value(); }
};

} // namespace lanescope::core::sparsecore
