// A debugger with time travel: a run on the emulator that stops where one likes, and goes on or back from there.
//
//   auto debugger = Debugger::open(ptx, launch, arrays, options);      // stands before the first instruction
//   debugger->breakAt({.line = 46});
//   const Stop &stop = debugger->resume();                             // at line 46, or at a fault, or at the end
//   debugger->step(StepBy::Line, Way::Back);
//   for (const WarpPlace &warp : debugger->warps()) …                  // who is where
//   debugger->barriers(stop.warp.block)                                // phases, arrivals and bytes that are missing
//
// The run is the emulator's own: same input and seed, same order, same results, whether it stops or not. It takes one
// thread; clusters that cannot talk to each other run one after another, so that those before have ended and those
// behind have not begun. Going back restores the last checkpoint before and runs again from there; checkpoints are
// made as it goes, and thinned out where they would take more than DebugOptions::checkpointBytes.
//
// All calls come from one thread (or one after another); they return when the run stands. interrupt() may come from
// any.
#pragma once

#include "core/data/Array.h"
#include "core/gpu/emulator/debug/DebugTypes.h"
#include "core/gpu/kernel/Launch.h"

#include <atomic>
#include <memory>
#include <span>

namespace lanescope::core {

struct DebugOptions {
  SourceRef snippet;                          // what `.loc` lines of file 1 refer to; null: lines are those of the PTX
  uint64_t seed = 0;                          // the schedule, as EmulatorOptions::seed
  bool checks = true;                         // faults of synchronisation end the run, and shared memory has writers
  bool strict = false;                        // hazards are faults
  size_t checkpointBytes = size_t{256} << 20; // that checkpoints may take; the last two are kept whatever they take
  double timeoutSeconds = 60;                 // of one call
};

enum class Way : uint8_t { Forward, Back };
/// Instruction: of the focus. Line: until the focus is at another line of the snippet (of the PTX without one). Event:
/// the block's next instruction that synchronises or issues what runs beside it, or landing. Moment: of any warp.
enum class StepBy : uint8_t { Instruction, Line, Event, Moment };

class Debugger {
public:
  /// `arrays`: one per launch.buffers(). Error: the PTX, the launch or the arrays cannot be run
  /// (core/gpu/emulator/Emulator.h).
  static Result<std::unique_ptr<Debugger>> open(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                                                const DebugOptions &options);
  ~Debugger();
  Debugger(const Debugger &) = delete;
  Debugger &operator=(const Debugger &) = delete;

  // --- going --------------------------------------------------------------------------------------------------------
  const Stop &stop() const;
  /// Until a breakpoint, a watchpoint, a fault or the end; backwards: or the start. Of a fault it stands at the moment
  /// before; going on from there stays.
  const Stop &resume(Way way = Way::Forward);
  const Stop &step(StepBy by, Way way = Way::Forward, uint64_t count = 1);
  /// The moment itself; one past the end is the end. Breakpoints are passed.
  const Stop &goTo(uint64_t moment);
  /// The first moment from the start at which the warp is at `cycle` of the model or later: a slice of a trace.
  const Stop &goToCycle(WarpRef warp, uint64_t cycle);
  /// Forward until the fault; breakpoints are passed.
  const Stop &runToFault();
  /// Forward until some warp (the focus' block first is not preferred) is about to run an instruction of the line.
  const Stop &runToLine(uint32_t line, bool inSnippet = true);
  /// The call under way ends soon, with StopReason::Limit. From any thread.
  void interrupt();

  // --- stopping -----------------------------------------------------------------------------------------------------
  /// Numbers count from 1, for breakpoints and watchpoints together. Error "breakpoint": no instruction was made of the
  /// line or any behind it; a watchpoint outside of memory.
  Result<uint32_t> breakAt(Breakpoint breakpoint);
  Result<uint32_t> watch(Watchpoint watchpoint);
  /// False: there is none of that number.
  bool remove(uint32_t number);
  bool enable(uint32_t number, bool enabled);
  const std::map<uint32_t, Breakpoint> &breakpoints() const;
  const std::map<uint32_t, Watchpoint> &watchpoints() const;

  // --- the focus: whose steps count ---------------------------------------------------------------------------------
  WarpRef focus() const;
  /// False: no such warp in the launch. Each stop at a breakpoint moves it to the warp that stopped.
  bool setFocus(WarpRef warp);

  // --- looking; what has ended or has not begun gives nothing -------------------------------------------------------
  /// Of all blocks that run now.
  std::vector<WarpPlace> warps() const;
  std::vector<RegisterValue> registers(WarpRef warp) const;
  std::optional<RegisterValue> registerOf(WarpRef warp, std::string_view name) const;
  /// `bytes` from `address`, clipped to the block's shared memory; 0 bytes: all of it.
  SharedMemory shared(uint32_t block, uint32_t address = 0, uint32_t bytes = 0) const;
  /// The address at which a block's dynamic shared memory begins.
  uint32_t dynamicShared() const;
  std::vector<BarrierState> barriers(uint32_t block) const;
  /// Of all blocks that run now.
  std::vector<Flight> flights() const;
  /// Runs ahead, for a while, to see who comes next to what is awaited, and back.
  std::vector<WaitEdge> waits();
  TensorMemoryState tensorMemory(uint32_t block) const;
  /// Global memory as it is: one array per launch.buffers().
  std::vector<Array> arrays() const;
  /// What kernels have printed, hazards and notes so far.
  std::string printed() const;
  Diagnostics findings() const;
  /// Of the instruction at a PTX line, from 1; 0: none, or no instruction is there.
  uint32_t snippetLineOf(uint32_t ptxLine) const;
  /// The lines that have instructions, ascending.
  std::vector<uint32_t> linesWithCode(bool inSnippet = true) const;

  // --- the past -----------------------------------------------------------------------------------------------------
  struct Passage {
    uint64_t moment = 0;
    uint32_t ptxLine = 0;
  };
  /// For each warp the last moment before now at which it was about to run an instruction of one of these PTX lines;
  /// none: it has not.
  std::vector<std::optional<Passage>> lastAt(std::span<const WarpRef> warps, std::span<const uint32_t> ptxLines);
  /// Calls `look` each time that a warp is about to run an instruction of these PTX lines, from now on and, so that
  /// nothing is missed, for all that has happened: it runs once more up to now. What is run again is seen again.
  /// False: the time was up; `look` may have missed some.
  bool observe(std::span<const uint32_t> ptxLines, std::function<void(const Glance &)> look);
  /// Stands at each of the moments in turn, the earliest first, for `look` to ask what was, and then here again.
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
