// Checks which phase of a barrier each arrival or wait belongs to, and if it belongs to that phase in every legal
// execution.
//
//   bar.arrive 1, 64     (warp 0)      phase 0 of barrier 1
//   bar.sync   1, 64     (warp 4)      phase 0
//   bar.sync   1, 64     (warps 4, 6)  phase 1: nothing makes warp 6 wait for the end of phase 0. It may arrive before
//                                      warp 0, and be counted in its place
//
//   arrive A             (warp 4)      phase 0 of mbarrier A
//   wait A, parity 0     (warp 0)
//   arrive A             (warp 4)      phase 1: nothing makes warp 4 wait until warp 0 has waited. Both phases may end
//                                      before warp 0 waits, and then it waits for phase 2
//
// The class finds both mistakes by happens-before, whichever schedule the run took. Each is a suspicion (LateWarps.h).
// The kernel then runs again with one late warp, and this class delays that warp in comesLate().
#pragma once

#include "core/gpu/emulator/check/EarlyPhases.h"
#include "core/gpu/emulator/check/LateWarps.h"
#include "core/gpu/emulator/check/Ordering.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class Phases {
public:
  explicit Phases(Ordering &order) : order_(order), early_(order) {}
  void begin(uint32_t blocks);

  /// True if the warp has to be late at its next operation. In this case, the function advances the warp's time.
  bool comesLate(Warp &warp);

  // --- named barriers -----------------------------------------------------------------------------------------------
  /// Call this before `order` learns of the arrival.
  void arrivesNamed(const Warp &warp, const Instr &i, uint32_t number, uint32_t mask, bool waits);
  void releasedNamed(uint32_t rank, uint32_t number);
  /// A note for each of the first arrivals in the open phase, one per warp and instruction. Empty if there is only one
  /// arrival.
  std::vector<Note> arrivalsAtNamed(uint32_t rank, uint32_t number) const;
  /// The suspicion about the uses of a named barrier; null if there is none.
  const LateSuspect *suspectOfNamed(uint32_t rank, uint32_t number) const;
  /// Says why a named barrier that `warp` has passed does not order `other` before it; empty if there is none.
  std::string whyNamedDoesNotOrder(uint32_t rank, uint32_t warp, uint32_t other) const;

  // --- mbarriers; `rank` is the block whose shared memory the mbarrier is in ----------------------------------------
  void initialised(uint32_t rank, const Mbarrier &barrier);
  /// `lanes` of the warp arrive. Call this before `order` learns of the arrival.
  void arrives(const Warp &warp, const Instr &i, uint32_t lanes, const Block &owner, const Mbarrier &barrier);
  /// A `cp.async.mbarrier.arrive` of one lane takes effect. Call this before `order` learns of the arrival.
  void copiesArrive(const Warp &warp, const Instr &i, uint32_t lane, const Block &owner, const Mbarrier &barrier) {
    early_.arrives(warp, i, 1u << lane, owner, barrier);
  }
  /// The same for an mbarrier as arrivalsAtNamed().
  std::vector<Note> arrivalsAt(uint32_t rank, uint32_t address);
  /// The mbarrier's phase has just ended. Call this before `order` learns of that.
  void completed(const Block &owner, const Mbarrier &barrier);
  /// A wait for a phase of this parity. `over`: the phase is over; otherwise the warp goes on waiting.
  void waits(const Warp &warp, const Instr &i, const Mbarrier &barrier, uint32_t parity, bool over);
  /// The warp has arrived at an mbarrier, or has ended a wait for one.
  void done(const Warp &warp) { ++operations_[order_.numberOf(warp)]; }

  /// A wait that began after its own phase and the next one had both ended.
  struct Overrun {
    uint32_t warp = 0, address = 0; // the warp's number, and the address of the mbarrier in its block
    uint32_t pc = 0;                // the wait
    int64_t wanted = 0;             // the phase that the warp meant; -1: a first wait for parity 1
    uint64_t found = 0;             // the phase that it waited for instead
    bool passed = false;            // the phase that it waited for was over, too
    uint32_t completedBy = kNone;   // pc of the last arrival in a phase after `wanted`
  };
  /// The first overrun of the warp at the mbarrier; null if the warp has always been in time.
  const Overrun *overrunOf(uint32_t warp, uint32_t address) const;

  /// True if the warp accesses bytes that a copy fills although the warp has made all of its own waits, so that the
  /// copy comes too early. The warp has then waited for every phase of the copy's mbarrier before the copy's own phase.
  /// For a read, the warp must also have released nothing to the copy's issuer since its last wait: after such a
  /// release, the warp may have begun the next round without its wait.
  bool copyIsEarly(const Warp &warp, const Use &copy, bool reads) const;

  /// The access of the warp races with `other`, and the fault is about to be reported.
  void raced(const Warp &warp, const Use &other);
  /// Phases that ended before all threads had arrived.
  const EarlyPhases &early() const { return early_; }
  /// The suspicions, and the cause of a race.
  LateSuspects suspects() const;

private:
  struct Arrival {
    uint32_t warp = 0, pc = 0, operation = 0, lanes = kAllLanes;
    Epoch epoch = 0;
    bool waits = false;
  };
  struct Named {
    std::vector<Arrival> last, now; // arrivals in the previous phase, and in the open phase
    // Masks of the block's warps: those that have arrived in the open phase, and those of each phase that wait.
    uint32_t arrivedNow = 0, waitersOfLast = 0, waitersNow = 0;
    size_t suspect = SIZE_MAX; // the index of the first suspicion
    size_t crowded = SIZE_MAX; // the index of the first suspicion that more threads come than the barrier counts
    uint64_t phase = 0;
  };
  /// A race of a warp that has passed a phase of a named barrier with one that was not counted in it.
  struct NamedRace {
    const Named *barrier = nullptr;
    uint32_t late = 0;  // the other warp
    uint64_t phase = 0; // the one after that phase
  };
  struct Wait {
    uint32_t warp = 0, pc = 0, operation = 0;
    Epoch epoch = 0;
    int64_t phase = -1; // the phase that was over when the wait ended
    bool again = false; // the previous wait of this warp found the same phase
  };
  struct Counted {
    std::vector<Arrival> last, now;
    std::vector<Wait> waits; // the last wait of each warp
  };

  Arrival arrivalOf(const Warp &warp, const Instr &i) const;
  /// The arrivals of other warps that are not ordered before the warp's current operation.
  std::vector<Arrival> unordered(const Warp &warp, const std::vector<Arrival> &arrivals) const;
  /// Looks for mistakes in an arrival of a warp that did not wait for the phase before, or that arrives again.
  void lookAtArrival(const Warp &warp, const Instr &i, Named &barrier, uint32_t number, uint32_t mask);
  void suspectNamed(const Warp &warp, Named &barrier, uint32_t number, const Arrival &arrival, const Arrival &other);
  void suspectTwice(Named &barrier, uint32_t number, const Arrival &arrival);
  void add(Named &barrier, LateSuspect suspect);
  Counted &counted(uint32_t rank, uint32_t address);
  bool isFollower(const Counted &state, const Wait &wait, const Released &told) const;
  /// Returns false if this pair of instructions was suspected before, or if there are too many suspicions.
  bool isNew(uint32_t pc, uint32_t other);
  Note arrivalNote(const Arrival &arrival, std::string_view phase) const;
  std::vector<Note> notesOf(const std::vector<Arrival> &arrivals) const;

  /// Records or explains a race of a warp that has passed named barriers with `late`.
  void racedNamed(uint32_t rank, uint32_t warp, uint32_t late);
  /// The mbarriers and phases that a warp has waited for last.
  std::vector<std::pair<size_t, int64_t>> waitedFor(uint32_t warp) const;

  Ordering &order_;
  EarlyPhases early_;
  std::vector<uint32_t> operations_; // per warp, by its number
  std::vector<Named> named_;
  std::vector<NamedRace> namedRaces_;
  std::vector<Counted> counted_; // by the mbarrier's number in the order
  std::vector<Overrun> overruns_;
  LateSuspects suspects_;
  std::vector<std::pair<uint32_t, uint32_t>> seen_; // pairs of pcs
  // For the late warp: the block's effects at the last check, and the number of checks so far.
  uint64_t effects_ = UINT64_MAX;
  uint32_t looks_ = 0;
};

} // namespace lanescope::core::emulator
