// A debugger with time travel. It runs a kernel on the emulator, stops where requested, and goes on or back from there.
//
//   auto debugger = Debugger::open(ptx, launch, arrays, options);      // stopped before the first instruction
//   debugger->breakAt({.line = 46});
//   const Stop &stop = debugger->resume();                             // at line 46, or at a fault, or at the end
//   debugger->step(StepBy::Line, Way::Back);
//   for (const WarpPlace &warp : debugger->warps()) …                  // every warp's place
//   debugger->barriers(stop.warp.block)                                // phases, missing arrivals and bytes
//
// The run is that of the emulator: the same input and seed give the same order and results, with or without stops. It
// takes one thread. Clusters that cannot communicate run one after another. So at any stop, the earlier clusters have
// ended and the later ones have not begun. To go back, the debugger restores the last checkpoint before the target and
// runs on from there. It takes checkpoints on the way, and drops some of them when they take more than
// DebugOptions::checkpointBytes.
//
// With several devices, blocks are numbered over all devices (blockNumberOf()). All devices stop together and go back
// together.
//
// Calls must not overlap: each returns when the run stops. Only interrupt() may come from another thread at any time.
#pragma once

#include "core/data/Array.h"
#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/kernel/Launch.h"

#include <atomic>
#include <memory>
#include <span>

namespace lanescope::core {

struct DebugOptions {
  SourceRef snippet;   // file 1 of `.loc`; null: lines are lines of the PTX
  uint64_t seed = 0;   // selects the schedule, like EmulatorOptions::seed
  bool checks = true;  // synchronisation faults end the run, and writers of shared memory are recorded
  bool strict = false; // hazards are faults
  size_t checkpointBytes = size_t{256} << 20; // limit for all checkpoints together; the last two are always kept
  double timeoutSeconds = 60;                 // limit for one call
  // The run waits on a thread of its own while it is stopped. Without one, going on repeats the run from the last
  // checkpoint. Both show the same.
#ifdef __wasi__
  bool ownThread = false;
#else
  bool ownThread = true;
#endif
};

enum class Way : uint8_t { Forward, Back };
/// Instruction: the next instruction of the focused warp. Line: until the focused warp is at another line of the
/// snippet (of the PTX, if there is no snippet). Event: the block's next instruction that synchronises or starts
/// asynchronous work, or its next landing. Moment: the next event of any warp.
enum class StepBy : uint8_t { Instruction, Line, Event, Moment };

class Debugger {
public:
  /// `arrays`: one per launch.buffers(). Fails if the PTX, the launch or the arrays cannot be run
  /// (core/gpu/emulator/Emulator.h).
  static Result<std::unique_ptr<Debugger>> open(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                                const DebugOptions &options);
  ~Debugger();
  Debugger(const Debugger &) = delete;
  Debugger &operator=(const Debugger &) = delete;

  // --- going --------------------------------------------------------------------------------------------------------
  const Stop &stop() const;
  /// Runs to a breakpoint, a watchpoint, a fault or the end; backwards, also to the start. At a fault, it stops at the
  /// moment before the fault. A forward call from there stays at that moment.
  const Stop &resume(Way way = Way::Forward);
  const Stop &step(StepBy by, Way way = Way::Forward, uint64_t count = 1);
  /// Goes exactly to the moment, or to the end if the moment is later. Does not stop at breakpoints.
  const Stop &goTo(uint64_t moment);
  /// Goes to the first moment at which the warp is at `cycle` of the model or later. Shows a slice of a trace.
  const Stop &goToCycle(WarpRef warp, uint64_t cycle);
  /// Runs forward to the fault. Does not stop at breakpoints.
  const Stop &runToFault();
  /// Runs forward until any warp is about to execute an instruction of the line, in the focused block or in another
  /// one.
  const Stop &runToLine(uint32_t line, bool inSnippet = true);
  /// Makes the current call return soon, with StopReason::Limit. Any thread may call this.
  void interrupt();

  // --- stopping -----------------------------------------------------------------------------------------------------
  /// Adds a breakpoint or a watchpoint and returns its number. Both kinds share one numbering, from 1. Error
  /// "breakpoint": neither the line nor a later one has code, or the watchpoint is outside memory.
  Result<uint32_t> breakAt(Breakpoint breakpoint);
  Result<uint32_t> watch(Watchpoint watchpoint);
  /// Returns false if no breakpoint or watchpoint has this number.
  bool remove(uint32_t number);
  bool enable(uint32_t number, bool enabled);
  const std::map<uint32_t, Breakpoint> &breakpoints() const;
  const std::map<uint32_t, Watchpoint> &watchpoints() const;

  // --- the focus: the warp whose steps count ------------------------------------------------------------------------
  WarpRef focus() const;
  /// Returns false if the launch has no such warp. A stop at a breakpoint moves the focus to the warp that stopped.
  bool setFocus(WarpRef warp);

  // --- looking; blocks that have ended or not begun return nothing --------------------------------------------------
  /// The warps of all running blocks.
  std::vector<WarpPlace> warps() const;
  std::vector<RegisterValue> registers(WarpRef warp) const;
  std::optional<RegisterValue> registerOf(WarpRef warp, std::string_view name) const;
  /// `bytes` bytes from `address` on, limited to the block's shared memory. If `bytes` is 0, all of the shared memory.
  SharedMemory shared(uint32_t block, uint32_t address = 0, uint32_t bytes = 0) const;
  /// The address at which a block's dynamic shared memory begins.
  uint32_t dynamicShared() const;
  std::vector<BarrierState> barriers(uint32_t block) const;
  /// The operations in flight of all running blocks.
  std::vector<Flight> flights() const;
  /// Finds what the waiting warps wait for. Runs ahead for a while to see which warps arrive, and then goes back.
  std::vector<WaitEdge> waits();
  TensorMemoryState tensorMemory(uint32_t block) const;
  /// The current contents of global memory: one array per launch.buffers().
  std::vector<Array> arrays() const;
  /// printed(): the text that kernels have printed so far. findings(): the hazards and notes so far.
  std::string printed() const;
  Diagnostics findings() const;
  /// The snippet line of the instruction at a PTX line, from 1. 0 if it has none, or if the line has no instruction.
  uint32_t snippetLineOf(uint32_t ptxLine) const;
  /// The lines that have instructions, in ascending order.
  std::vector<uint32_t> linesWithCode(bool inSnippet = true) const;

  // --- the past -----------------------------------------------------------------------------------------------------
  struct Passage {
    uint64_t moment = 0;
    uint32_t ptxLine = 0;
  };
  /// Returns, for each warp, the last moment before now at which the warp was about to execute an instruction of one of
  /// these PTX lines. Nothing if there was no such moment.
  std::vector<std::optional<Passage>> lastAt(std::span<const WarpRef> warps, std::span<const uint32_t> ptxLines);
  /// From now on, calls `look` whenever a warp is about to execute an instruction of these PTX lines. Repeats the run
  /// up to now, so that `look` also gets everything that has happened. If the run goes back and repeats steps, `look`
  /// gets them again. Returns false if the time limit was reached: `look` may then have missed some steps.
  bool observe(std::span<const uint32_t> ptxLines, std::function<void(const Glance &)> look);
  /// Goes to each of the moments, the earliest first, and calls `look` there. Then returns to the current moment.
  void lookBack(std::vector<uint64_t> moments, const std::function<void(uint64_t moment)> &look);

  struct Checkpoints {
    size_t count = 0, bytes = 0, limit = 0;
  };
  Checkpoints checkpoints() const;

  struct State; // debug/DebuggerState.h

private:
  explicit Debugger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace lanescope::core
