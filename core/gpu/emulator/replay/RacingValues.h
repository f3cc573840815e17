// Plain loads that race (check/RacingReads.h) give other values that were there: older ones, or what another warp, or
// another lane, writes next. The first run records them.
//
//   RacingValues values(program, reads, of);
//   values.record();          runs.under(values);      // where the loads go, what is written after them
//   values.giveOlder(false);  runs.under(values);
//   for (auto [block, warp] : values.warps(8)) {
//     values.giveNewer(block, warp);  runs.under(values);
//   }
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"
#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/PlaceTable.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class RacingValues : public Perturbation {
public:
  /// Of those loads, or of all by the same instructions: of many that race with one write the checker names some.
  /// `reads` outlive this.
  enum class Of : uint8_t { Reads, Instructions };
  /// Whose writes count as another's: those of other warps, or those of other lanes of the warp, too.
  enum class Apart : uint8_t { Warps, Lanes };
  RacingValues(const Program &program, const RacingReads &reads, Of of, Apart apart = Apart::Warps);

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// What was there before another warp wrote for the first time, or before it did so last; a warp that has loaded it
  /// goes on with that until it writes there itself, as a compiler may load once for all: whoever polls so polls for
  /// ever.
  void giveOlder(bool last);
  /// The first run, which sees where the loads go, and what is written there behind them.
  void record();
  /// Whether all that the loads give can be followed; where it is too much, the rest is as it is.
  bool isComplete() const;
  /// To one warp, as far as it has not met it yet. Not to all at once: who reads that something has been done will not
  /// do it.
  void giveNewer(uint32_t block, uint32_t warp);
  /// Block and warp of those to whom something else could be given: for each load one, then more of them.
  std::vector<std::pair<uint32_t, uint32_t>> warps(size_t most) const;

private:
  enum class Mode : uint8_t { Older, Record, Newer };
  /// A byte before a write by an owner, which is a warp or a thread of the grid.
  struct Write {
    uint64_t owner = 0;
    std::byte before{};
  };
  /// An owner has loaded a byte with the instruction `pc`, and no owner has written it since; `next` is the next such
  /// owner.
  struct Waiting {
    uint64_t owner = 0;
    uint32_t pc = 0, next = 0;
  };
  /// Bytes of one lane that a load gives otherwise than they are.
  struct Other {
    std::byte *at = nullptr;
    uint32_t bits = 0; // the bytes of the line at `at`
    std::array<std::byte, kLineBytes> values;
    void swap();
  };
  uint64_t ownerOf(const Warp &warp, uint32_t lane) const;
  uint64_t warpOfOwner(uint64_t owner) const;
  /// Calls visit(lane, place, address) for each address of each owner.
  template <class Visit> void forOwnPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) const;
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  void choose(Mode mode);
  bool races(const Warp &warp, uint32_t pc) const;
  void recordLoad(uint64_t me, uint32_t pc, uint64_t address, uint32_t bits);
  void recordWrite(uint64_t me, const std::byte *line, uint64_t address, uint32_t bits);
  /// Chooses the values that the owner gets instead of the bytes that it loads.
  void chooseOlder(uint64_t me, uint64_t address, uint32_t bits, Other &other);
  void chooseNewer(uint64_t me, uint64_t address, uint32_t bits, Other &other);

  const RacingReads &reads_;
  const Apart apart_;
  const std::vector<GlobalAccess> accesses_; // by pc
  std::set<uint32_t> loads_;                 // pcs of all that count; none: `reads_`
  Mode mode_ = Mode::Record;
  uint64_t to_ = 0; // the warp of Mode::Newer
  // These belong to one run. Owners are warps or threads, or there is one owner for all.
  bool last_ = false;            // in Mode::Older the last write counts, not the first
  PlaceTable<Write> writes_;     // the one that counts
  PlaceTable<std::byte> given_;  // what owners have been given
  PlaceTable<NoValue> met_;      // what owners have loaded or written
  PlaceTable<uint32_t> waiting_; // the first in waiters_
  std::vector<Waiting> waiters_;
  // What has been recorded.
  PlaceTable<NoValue> loaded_;
  size_t loadedBytes_ = 0;
  PlaceTable<std::byte> newer_;
  std::map<uint32_t, std::set<uint64_t>> readers_; // by pc: warps
  uint64_t warpsOfBlock_ = 1;
};

} // namespace lanescope::core::emulator
