// Observes a program's synchronisation, and carries out the adversary of a schedule.
//
//   Observer observer(program, schedule, true);    // replaces handlers in program.code
//   ObservedGrid grid;  grid.observer = &observer;
//   …run on one thread…
//   coverage.add(observer.points(grid));
//
// A program with an observer runs only in an ObservedGrid.
#pragma once

#include "core/gpu/emulator/conflicts/BankConflicts.h"
#include "core/gpu/emulator/coverage/ContendedWords.h"
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/machine/Block.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class Observer {
public:
  /// `covers`: points() will be used. Otherwise the observer only carries out the adversary.
  Observer(Program &program, Schedule schedule, bool covers);
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;

  /// Drops all counts, because the run is repeated.
  void forget();
  /// Later runs are not counted.
  void stopCounting() { counting_ = false; }
  /// Another run begins: the adversary takes its decisions as in the first run.
  void beginsAgain() { present_.clear(); }
  /// The observations, by place in the grid's source.
  std::vector<CoveragePoint> points(const Grid &grid) const;
  /// The source line at the instruction's place. Parts that only a line of PTX has are left out.
  static std::string wordsAt(const Grid &grid, const Instr &instr, const Span &place);

  /// The observer's knowledge about the running blocks. A repetition of the run needs it. It is valid only for these
  /// blocks.
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
    Access, // only if the schedule makes a warp slow, or coverage looks for contended words
  };
  /// Warps by their numbers in the block, and clusters by the numbers of their first blocks.
  struct Users {
    std::set<uint32_t> warps, clusters;
  };
  /// The counts of one instruction.
  struct Happened {
    uint64_t reached = 0, waited = 0, again = 0;
    bool parity[2]{}, taken = false, fellThrough = false;
    std::set<uint32_t> barriers; // addresses of mbarriers
    Users users;                 // for an Access: of contended words
    Users late;                  // for an Access: those that were late there, of contended words or not
  };
  struct Seen : Happened {
    What what = What::Nothing;
    Handler run = nullptr; // the instruction's own handler
    bool inLoop = false, spin = false, loopsIfTaken = false, loopsIfNot = false;
  };
  /// The state of a running block. It is kept until another block takes the block's place.
  struct Present {
    uint32_t linear = UINT32_MAX;
    std::set<uint64_t> used = {};                            // buffers that copies have filled or sent
    std::vector<std::pair<uint32_t, uint32_t>> delayed = {}; // the warp and pc of each late arrival
    uint64_t arrivals = 0;                                   // the number of late arrivals so far
    // For the slow warp: the effects of the cluster's blocks at its last pause, and the number of its pauses.
    uint64_t effects = UINT64_MAX;
    uint32_t pauses = 0;
    std::map<uint32_t, std::vector<uint32_t>> waits = {}; // by the pc of a wait for an mbarrier: how often each warp
                                                          // has passed it
    ContendedWords words = {};                            // words of the block's shared memory
  };

  static What kindOf(std::string_view opcode, const Instr &instr);
  /// True for a load, a store or an atomic operation of shared or global memory by a warp's lanes.
  static bool accesses(std::string_view opcode, const Instr &instr);
  static Step observe(Warp &warp, const Instr &i, uint32_t mask);
  /// Finds the instructions in loops, and those that belong to the loop of a wait.
  void findLoops();

  Step step(Warp &warp, const Instr &i, uint32_t mask);
  Step wait(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step groupWait(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step barrier(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step copy(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  Step branch(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  void initialised(Warp &warp, const Instr &i, uint32_t mask);
  /// Notes the words that an access uses.
  void use(Warp &warp, const Instr &i, uint32_t mask, Seen &seen);
  /// Adds the points of accesses to contended words.
  void addAccesses(std::vector<CoveragePoint> &points, const Grid &grid) const;

  Present &present(const Block &block);
  /// True if the warp's arrival must be late now.
  bool late(Warp &warp, uint32_t pc);
  void linger(Warp &warp) const;
  /// True if the slow warp must pause now, because the other warps have changed something since its last pause.
  bool pauses(Warp &warp);
  /// True if another warp of the warpgroup has passed a wait for an mbarrier more often. The warps of a warpgroup count
  /// as close to each other there (docs/checks.md, `phase-overrun`).
  static bool isBehind(const Warp &warp, const Present &present);

  Program &program_;
  Schedule schedule_;
  bool counting_ = true;
  bool contends_ = false;  // coverage looks for contended words
  std::vector<Seen> seen_; // by pc
  std::unordered_map<const Block *, Present> present_;
  std::unordered_map<uint32_t, std::string> names_; // names of mbarriers, by address
  ContendedWords globalWords_;
};

class Observer::Memory {
  friend class Observer;
  std::unordered_map<const Block *, Present> present_;
};

struct ObservedGrid : ChargedGrid {
  Observer *observer = nullptr;
};

} // namespace lanescope::core::emulator
