// Looks at what happens at a program's synchronisation, and plays the adversary of a schedule.
//
//   Observer observer(program, schedule);          // takes the place of handlers in program.code
//   ObservedGrid grid;  grid.observer = &observer;
//   …run on one thread…
//   coverage.add(observer.points(grid));
//
// A program that an observer has touched runs in an ObservedGrid alone.
#pragma once

#include "core/gpu/emulator/conflicts/BankConflicts.h"
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/machine/Block.h"

#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class Observer {
public:
  Observer(Program &program, Schedule schedule);
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;

  /// Drops what was counted: the run is made again.
  void forget();
  /// Further runs are not counted.
  void stopCounting() { counting_ = false; }
  /// What happened, by places of the grid's source.
  std::vector<CoveragePoint> points(const Grid &grid) const;
  /// The source's line at the instruction's place, without what only a PTX line has.
  static std::string wordsAt(const Grid &grid, const Instr &instr, const Span &place);

  /// What it has to know of the blocks that run, to do the same again. Good for the blocks that it was taken of.
  class Memory;
  Memory memory() const;
  void restore(const Memory &memory);

private:
  enum class What : uint8_t {
    Nothing,
    Init,
    Wait,
    GroupWait,
    WgmmaWait,
    Barrier,
    ClusterWait,
    Arrival,
    Copy,
    Fence,
    Branch,
  };
  /// What happened at one instruction.
  struct Happened {
    uint64_t reached = 0, waited = 0, again = 0;
    bool parity[2]{}, taken = false, fellThrough = false;
    std::set<uint32_t> barriers; // addresses of mbarriers
  };
  struct Seen : Happened {
    What what = What::Nothing;
    Handler run = nullptr; // the instruction's own
    bool inLoop = false, spin = false, loopsIfTaken = false, loopsIfNot = false;
  };
  /// Of a block that runs, until another one takes its place.
  struct Present {
    uint32_t linear = UINT32_MAX;
    std::set<uint64_t> used = {};                            // buffers that copies have filled or sent
    std::vector<std::pair<uint32_t, uint32_t>> delayed = {}; // warp and pc of arrivals that have been late
    uint64_t arrivals = 0;                                   // late ones so far
  };

  static What kindOf(std::string_view opcode, const Instr &instr);
  static Step observe(Warp &warp, const Instr &i, uint32_t mask);
  /// Which instructions loops have, and which of these are the spin of a wait.
  void findLoops();

  Step step(Warp &warp, const Instr &i, uint32_t mask);
  Step wait(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step groupWait(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step barrier(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step copy(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step branch(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  void initialised(Warp &warp, const Instr &i, uint32_t mask);

  Present &present(const Block &block);
  /// The warp is to be late for its arrival now.
  bool late(Warp &warp, uint32_t pc);
  void linger(Warp &warp) const;

  Program &program_;
  Schedule schedule_;
  bool counting_ = true;
  std::vector<Seen> seen_; // by pc
  std::unordered_map<const Block *, Present> present_;
  std::unordered_map<uint32_t, std::string> names_; // of mbarriers, by address
};

class Observer::Memory {
  friend class Observer;
  std::unordered_map<const Block *, Present> present_;
};

struct ObservedGrid : ChargedGrid {
  Observer *observer = nullptr;
};

} // namespace lanescope::core::emulator
