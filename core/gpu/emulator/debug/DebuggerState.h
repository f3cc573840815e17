// The state of a Debugger: the machine, the lines of the code, the breakpoints, the focused warp.
#pragma once

#include "core/gpu/emulator/debug/CodeTable.h"
#include "core/gpu/emulator/debug/Machine.h"

#include <unordered_map>

namespace lanescope::core {

namespace emulator {
inline WarpRef refOf(const Warp &warp) { return {numberOf(*warp.block), warp.id}; }
/// Marks that include every step.
inline Marks everywhere() { return {.pcs = {}, .landings = true, .every = true}; }
} // namespace emulator

struct Debugger::State {
  using Step = emulator::StepWatch::Step;
  using Standing = emulator::Machine::Standing;
  struct Register {
    uint32_t slot = 0, bits = 32;
  };
  /// The moment that a search has found, and the reason for stopping there.
  struct Found {
    uint64_t moment = 0;
    std::vector<uint32_t> numbers = {}; // numbers of the breakpoints and watchpoints
    std::string what = {};
    bool watched = false;
    bool last = false; // the search ends here, and accepts no further step
    std::optional<WarpRef> warp = {};
    uint32_t pc = 0;
  };
  /// The test of a search, called for each step. It returns a Found if the search wants the step. Found::watched: a
  /// watched value had already changed before the step.
  using Test = std::function<std::optional<Found>(const Step &)>;

  explicit State(std::unique_ptr<emulator::Machine> theMachine);

  // --- going (Going.cpp) --------------------------------------------------------------------------------------------
  const Stop &seek(uint64_t moment, StopReason reason = StopReason::Step);
  /// Runs forward to the count-th step that the test accepts.
  const Stop &forward(const emulator::Marks &marks, const Test &test, StopReason reason, uint64_t count = 1);
  /// Returns the count-th step before `now` that the test accepts, counted backward. Nothing if there are fewer.
  /// `reset` is called when the machine has gone back to the beginning of a stretch.
  std::optional<Found> lastBefore(uint64_t now, const emulator::Marks &marks, const Test &test, uint64_t count = 1,
                                  const std::function<void()> &reset = {});
  /// Repeats the run before `now`, one stretch between two snapshots at a time. The latest stretch comes first. Calls
  /// `begin` before each stretch. After each stretch, calls `more`, which returns true if the stretch before is needed,
  /// too. Returns false if a limit is reached.
  bool sweepBack(uint64_t now, const emulator::Marks &marks, const std::function<void(const Step &)> &look,
                 const std::function<void()> &begin, const std::function<bool()> &more);
  /// Runs the machine on, and calls the observers.
  void go(emulator::Marks marks, const emulator::Machine::Decide &decide);
  emulator::Marks marksOf(std::span<const uint32_t> ptxLines) const;
  const Stop &stand(StopReason reason);
  const Stop &back(std::optional<Found> found, StopReason reason);
  bool isOver() const { return fault && stop.moment >= fault->first; }
  /// True if the focused warp has ended, seen from a step of another warp.
  bool focusEnded(const Step &step) const;

  // --- stops (Stops.cpp) --------------------------------------------------------------------------------------------
  emulator::Marks breakMarks() const;
  /// Returns the breakpoints and watchpoints that stop at a step. Compares watched bytes with their values at the last
  /// call. `passed` counts how often each breakpoint with Breakpoint::ignored was reached. If it is null, no breakpoint
  /// ignores passes.
  std::optional<Found> stopsAt(const Step &step, std::map<uint32_t, uint32_t> *passed);
  std::vector<std::byte> watchedBytes(const Watchpoint &watchpoint) const;
  void lookAtWatched();
  bool watches() const;

  // --- looking (Look.cpp) -------------------------------------------------------------------------------------------
  /// The grid of the first device. Sizes and the program are the same on all devices.
  const emulator::Grid &grid() const { return machine->grid(); }
  std::string blockWords(uint32_t block) const { return core::blockWords(machine->launch(), block); }
  /// The number of the block's cluster, over all devices.
  uint64_t clusterOf(uint32_t block) const;
  /// Returns null if the block is not running now.
  emulator::Block *blockOf(uint32_t block) const;
  emulator::Warp *warpOf(WarpRef warp) const;
  std::vector<emulator::Block *> blocks() const;
  std::optional<Register> registerNamed(std::string_view name) const;
  RegisterValue registerValue(const emulator::Warp &warp, std::string_view name, Register at) const;
  CodePlace splitPlace(const emulator::Warp &warp, const emulator::Split &split) const;

  std::unique_ptr<emulator::Machine> machine;
  emulator::CodeTable code;
  std::unordered_map<std::string_view, Register> registers;
  Stop stop;
  WarpRef focus;
  std::map<uint32_t, Breakpoint> breakpoints;
  std::map<uint32_t, std::vector<uint32_t>> breakPcs; // the pcs of each breakpoint, in ascending order
  std::map<uint32_t, Watchpoint> watchpoints;
  std::map<uint32_t, std::vector<std::byte>> watched; // the watched bytes at the last call of stopsAt()
  struct Observer {
    std::vector<uint8_t> pcs;
    std::function<void(const Glance &)> look;
  };
  std::vector<Observer> observers;
  uint32_t nextNumber = 1;
  std::optional<std::pair<uint64_t, Diagnostic>> fault; // a fault that is known to happen at this moment
};

} // namespace lanescope::core
