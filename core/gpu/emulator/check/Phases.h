// Which phase of a barrier an arrival or a wait belongs to, and whether it is that phase in every legal execution.
//
//   bar.arrive 1, 64     (warp 0)      phase 0 of barrier 1
//   bar.sync   1, 64     (warp 4)      phase 0
//   bar.sync   1, 64     (warps 4, 6)  phase 1: nothing tells warp 6 that phase 0 is over. It may come before warp 0,
//                                      and count in its place
//
//   arrive A             (warp 4)      phase 0 of mbarrier A
//   wait A, parity 0     (warp 0)
//   arrive A             (warp 4)      phase 1: nothing tells warp 4 that warp 0 has waited. Warp 0 may come when both
//                                      phases are over, and then it waits for phase 2
//
// Both are found by happens-before, whichever way the schedule went. Each is a suspicion (LateWarps.h): the kernel is
// run again with the one warp late. Phases plays that part, too: comesLate().
#pragma once

#include "core/gpu/emulator/check/LateWarps.h"
#include "core/gpu/emulator/check/Ordering.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class Phases {
public:
  explicit Phases(Ordering &order) : order_(order) {}
  void begin(uint32_t blocks);

  /// Whether the warp is to be late for the operation that it comes to; its time has moved then.
  bool comesLate(Warp &warp);

  // --- named barriers -----------------------------------------------------------------------------------------------
  /// Before the order learns of the arrival.
  void arrivesNamed(const Warp &warp, const Instr &i, uint32_t number, uint32_t mask, bool waits);
  void releasedNamed(uint32_t rank, uint32_t number);
  /// A note for each warp and instruction that has arrived in the phase that is open, the first ones; none where it is
  /// one alone.
  std::vector<Note> arrivalsAtNamed(uint32_t rank, uint32_t number) const;
  /// The conflict between the uses of a named barrier; null: there is none.
  const LateSuspect *suspectOfNamed(uint32_t rank, uint32_t number) const;

  // --- mbarriers; `rank` is the block that has it -------------------------------------------------------------------
  void initialised(uint32_t rank, const Mbarrier &barrier);
  /// Before the order learns of the arrival.
  void arrives(const Warp &warp, const Instr &i, const Block &owner, const Mbarrier &barrier);
  /// As arrivalsAtNamed().
  std::vector<Note> arrivalsAt(uint32_t rank, uint32_t address);
  /// Its last phase is over, and the order has yet to learn of it.
  void completed(const Block &owner, const Mbarrier &barrier);
  /// A wait for a phase of that parity: it is over, or the warp goes on waiting.
  void waits(const Warp &warp, const Instr &i, const Mbarrier &barrier, uint32_t parity, bool over);
  /// An arrival at mbarriers is done, or a wait for them is over.
  void done(const Warp &warp) { ++operations_[order_.numberOf(warp)]; }

  /// A wait that began when the phase it is for and the one after it were both over.
  struct Overrun {
    uint32_t warp = 0, address = 0; // number of the warp; the mbarrier is in its block
    uint32_t pc = 0;                // the wait
    uint64_t wanted = 0, found = 0; // phases
    bool passed = false;            // the phase that it took for its own was over, too
    uint32_t completedBy = kNone;   // pc of the last arrival in a phase after `wanted`
  };
  /// The first one of a warp; null: it has always come in time.
  const Overrun *overrunOf(uint32_t warp, uint32_t address) const;

  /// Whether a warp that touches what a copy fills has all of its waits in place, so that the copy is too early: it has
  /// waited for every phase of the copy's mbarrier before the copy's own. Where it reads, nothing since its last wait
  /// has told the warp that issued the copy: a warp that has told may have begun the next round, without its wait.
  bool copyIsEarly(const Warp &warp, const Use &copy, bool reads) const;

  const LateSuspects &suspects() const { return suspects_; }

private:
  struct Arrival {
    uint32_t warp = 0, pc = 0, operation = 0, lanes = kAllLanes;
    Epoch epoch = 0;
    bool waits = false;
  };
  struct Named {
    std::vector<Arrival> last, now; // in the phase before, and in this one
    uint32_t waitersOfLast = 0;     // warps of the block
    size_t suspect = SIZE_MAX;      // the first one
  };
  struct Wait {
    uint32_t warp = 0, pc = 0, operation = 0;
    Epoch epoch = 0;
    int64_t phase = -1; // that was over
    bool again = false; // and so it was at the wait before this one
  };
  struct Counted {
    std::vector<Arrival> last, now;
    std::vector<Wait> waits; // the last one of each warp
  };

  Arrival arrivalOf(const Warp &warp, const Instr &i) const;
  /// Those of other warps that are not ordered before what the warp does.
  std::vector<Arrival> unordered(const Warp &warp, const std::vector<Arrival> &arrivals) const;
  void suspectNamed(const Warp &warp, Named &barrier, uint32_t number, const Arrival &arrival, const Arrival &other);
  void add(Named &barrier, LateSuspect suspect);
  Counted &counted(uint32_t rank, uint32_t address);
  bool isFollower(const Counted &state, const Wait &wait, const Released &told) const;
  /// False: that pair of instructions has been suspected, or too much has.
  bool isNew(uint32_t pc, uint32_t other);
  Note arrivalNote(const Arrival &arrival, std::string_view phase) const;
  std::vector<Note> notesOf(const std::vector<Arrival> &arrivals) const;

  Ordering &order_;
  std::vector<uint32_t> operations_; // by number of the warp
  std::vector<Named> named_;
  std::vector<Counted> counted_; // by the mbarrier's number in the order
  std::vector<Overrun> overruns_;
  LateSuspects suspects_;
  std::vector<std::pair<uint32_t, uint32_t>> seen_; // pcs
  // The late warp: the block's effects when it was last looked at, and how often there was no new one.
  uint64_t effects_ = UINT64_MAX;
  uint32_t looks_ = 0;
};

} // namespace lanescope::core::emulator
