// Finds mbarriers that count fewer arrivals than come to them in one round. A phase then ends before all threads have
// arrived for it.
//
//   mbarrier.init A, 1
//   st [x]; arrive A          (warp 0)   ends phase 0
//   st [y]; arrive A          (warp 1)   is counted in phase 1, although nothing has told warp 1 that phase 0 is over
//   wait A, parity 0; ld [y]  (warp 2)   races with the store of warp 1. The cause is the count of A
//
// Alone, such an arrival is no fault: a kernel may count the phases of several threads. It is the cause of a race if
// the reader has waited for the phase that ended early, and of a deadlock if a warp has missed that phase. The arrival
// may come after the race, so replay/ repeats the run, which then goes on after the race (replay/RaceCause.h).
#pragma once

#include "core/gpu/emulator/check/Ordering.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class EarlyPhases {
public:
  /// A race in which one warp has waited for mbarriers, and the other one may have arrived too late.
  struct Race {
    uint32_t late = 0, count = 1;                   // the warp that may arrive too late, or the first of a warpgroup
    Epoch epoch = 0;                                // its access is in this epoch; 0: not known
    std::vector<std::pair<size_t, int64_t>> waited; // mbarriers and the phases that the other warp has waited for
  };

  explicit EarlyPhases(Ordering &order) : order_(order) {}
  void begin();
  void initialised(size_t barrier);
  /// `lanes` of the warp arrive. Call this before `order` learns of the arrival.
  void arrives(const Warp &warp, const Instr &i, uint32_t lanes, const Block &owner, const Mbarrier &barrier);
  void completed(size_t barrier);
  void raced(Race race);
  /// Makes `cause` the cause of the race, unless there is one.
  void setCause(Diagnostic cause);
  /// The kernel has arrived at a barrier. A run that only looks for a cause ends when there is one, or after many
  /// arrivals.
  void arrived() {
    if (order_.grid().causeFound && anyRace_) [[unlikely]]
      endSearch();
  }

  /// The cause of the first race that has one.
  const std::optional<Diagnostic> &cause() const { return cause_; }
  /// True if there was a race that an arrival after it may explain.
  bool mayHaveCause() const { return anyRace_; }
  void mayRace() { anyRace_ = true; }
  /// The finding about phases of an mbarrier that ended early: `first` is the first of them, and the arrivals that they
  /// missed are counted in phases up to `last`.
  std::optional<Diagnostic> causeOf(size_t barrier, uint64_t first, uint64_t last) const;

private:
  struct Arrival {
    uint32_t warp = 0, pc = 0, lanes = 0;
    Epoch epoch = 0;
  };
  struct Arrivals {
    std::vector<Arrival> last, now; // in the previous phase, and in the open one
  };
  /// An arrival that should have been counted in the phase before.
  struct LateArrival {
    size_t barrier = 0;
    uint64_t phase = 0; // the phase that counts it
    Arrival arrival;
    std::vector<Arrival> before; // the arrivals of the phase before
    const Block *owner = nullptr;
    uint32_t address = 0, expected = 0, initialised = 0;
  };

  void endSearch();
  static bool explains(const LateArrival &late, const Race &race);
  void findCause();
  Diagnostic findingOf(const LateArrival &late) const;
  std::string namesOf(std::vector<uint32_t> warps) const;
  Note noteOf(const Arrival &arrival, std::string_view how) const;

  Ordering &order_;
  std::vector<Arrivals> arrivals_; // by the mbarrier's number in the order
  std::vector<LateArrival> late_;
  std::vector<Race> races_;
  std::optional<Diagnostic> cause_;
  bool anyRace_ = false;
  uint32_t arrivalsAfterRace_ = 0;
};

} // namespace lanescope::core::emulator
