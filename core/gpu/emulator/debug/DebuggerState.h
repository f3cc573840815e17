// What a Debugger has: the machine, where code belongs, what stops it, whose steps count.
#pragma once

#include "core/gpu/emulator/debug/CodeTable.h"
#include "core/gpu/emulator/debug/Machine.h"

#include <unordered_map>

namespace lanescope::core {

namespace emulator {
inline WarpRef refOf(const Warp &warp) { return {warp.block->linear, warp.id}; }
/// All steps are asked about.
inline Marks everywhere() { return {.pcs = {}, .landings = true, .every = true}; }
} // namespace emulator

struct Debugger::State {
  using Step = emulator::StepWatch::Step;
  using Standing = emulator::Machine::Standing;
  struct Register {
    uint32_t slot = 0, bits = 32;
  };
  /// A moment that a search has found, and why it is one.
  struct Found {
    uint64_t moment = 0;
    std::vector<uint32_t> numbers = {}; // of breakpoints and watchpoints
    std::string what = {};
    bool watched = false;
    std::optional<WarpRef> warp = {};
    uint32_t pc = 0;
  };
  /// What is looked for among steps; `watched`: before the step something that is watched has changed.
  using Test = std::function<std::optional<Found>(const Step &)>;

  explicit State(std::unique_ptr<emulator::Machine> theMachine);

  // --- going (Going.cpp) --------------------------------------------------------------------------------------------
  const Stop &seek(uint64_t moment, StopReason reason = StopReason::Step);
  /// Forward until the count-th that the test finds.
  const Stop &forward(const emulator::Marks &marks, const Test &test, StopReason reason, uint64_t count = 1);
  /// The count-th before `now` that the test finds, latest first; none: there are fewer. `reset`: the machine stands
  /// at an earlier moment than before, at the beginning of a stretch.
  std::optional<Found> lastBefore(uint64_t now, const emulator::Marks &marks, const Test &test, uint64_t count = 1,
                                  const std::function<void()> &reset = {});
  /// Runs again what was before `now`, one stretch from snapshot to snapshot after the other, the latest first.
  /// `begin`: the machine stands at the beginning of one; `more`: behind it, whether the one before is wanted. False:
  /// limited.
  bool sweepBack(uint64_t now, const emulator::Marks &marks, const std::function<void(const Step &)> &look,
                 const std::function<void()> &begin, const std::function<bool()> &more);
  /// Lets the machine go on, with those who observe.
  void go(emulator::Marks marks, const emulator::Machine::Decide &decide);
  emulator::Marks marksOf(std::span<const uint32_t> ptxLines) const;
  const Stop &stand(StopReason reason);
  const Stop &back(std::optional<Found> found, StopReason reason);
  bool isOver() const { return fault && stop.moment >= fault->first; }
  /// The focus' warp has ended, at a step of others.
  bool focusEnded(const Step &step) const;

  // --- what stops it (Stops.cpp) ------------------------------------------------------------------------------------
  emulator::Marks breakMarks() const;
  /// Breakpoints and watchpoints at a step. Each call looks at what has changed since the last one. `passed`: how often
  /// breakpoints have been met, for those that let some pass; null: none does.
  std::optional<Found> stopsAt(const Step &step, std::map<uint32_t, uint32_t> *passed);
  std::vector<std::byte> watchedBytes(const Watchpoint &watchpoint) const;
  void lookAtWatched();
  bool watches() const;

  // --- looking (Look.cpp) -------------------------------------------------------------------------------------------
  const emulator::Grid &grid() const { return machine->prepared().grid; }
  uint64_t clusterOf(uint32_t block) const;
  /// Null: it does not run now.
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
  std::map<uint32_t, std::vector<uint32_t>> breakPcs; // of breakpoints, ascending
  std::map<uint32_t, Watchpoint> watchpoints;
  std::map<uint32_t, std::vector<std::byte>> watched; // as they were last
  struct Observer {
    std::vector<uint8_t> pcs;
    std::function<void(const Glance &)> look;
  };
  std::vector<Observer> observers;
  uint32_t nextNumber = 1;
  std::optional<std::pair<uint64_t, Diagnostic>> fault; // known to happen at this moment
};

} // namespace lanescope::core
