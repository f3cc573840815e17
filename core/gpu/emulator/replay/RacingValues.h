// Makes plain loads that race (check/RacingReads.h) return other values that were there: an older one, or the one that
// another warp, or another lane, writes next. The first run records the values.
//
//   RacingValues values(program, reads, of);
//   values.record();          runs.under(values);      // where the loads go, and what is written there after them
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
  /// Reads: only those loads. Instructions: all loads by the same instructions, since the checker names only some of
  /// many loads that race with one write. `reads` must outlive this.
  enum class Of : uint8_t { Reads, Instructions };
  /// Whose writes count as another's. Warps: those of other warps. Lanes: also those of other lanes of the warp.
  enum class Apart : uint8_t { Warps, Lanes };
  RacingValues(const Program &program, const RacingReads &reads, Of of, Apart apart = Apart::Warps);

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// The loads return the value from before another warp's first (or, with `last`, last) write. A warp that has loaded
  /// it gets the same value until it writes there itself, as if the compiler had loaded it once. So a poll never ends.
  void giveOlder(bool last);
  /// The next run records where the loads go, and what is written there after them.
  void record();
  /// True if all values of the loads could be recorded. If there are too many, the other loads are not perturbed.
  bool isComplete() const;
  /// Gives one warp the newer values where it has not loaded or written yet. It is one warp at a time: if all warps
  /// read that something has been done, none of them does it.
  void giveNewer(uint32_t block, uint32_t warp);
  /// The block and the warp of loads that could get another value: first one for each load, then more, up to `most`.
  std::vector<std::pair<uint32_t, uint32_t>> warps(size_t most) const;

private:
  enum class Mode : uint8_t { Older, Record, Newer };
  /// A byte from before a write by an owner, which is a warp or a thread of the grid.
  struct Write {
    uint64_t owner = 0;
    std::byte before{};
  };
  /// An owner has loaded a byte by the instruction `pc`, and no owner has written it since. `next` is the next such
  /// owner.
  struct Waiting {
    uint64_t owner = 0;
    uint32_t pc = 0, next = 0;
  };
  /// Bytes of one lane for which a load returns other values than memory holds.
  struct Other {
    std::byte *at = nullptr;
    uint32_t bits = 0; // which bytes of the line at `at`
    std::array<std::byte, kLineBytes> values;
    void swap();
  };
  uint64_t ownerOf(const Warp &warp, uint32_t lane) const;
  uint64_t warpOfOwner(uint64_t owner) const;
  /// Calls visit(lane, place, address) once for each address of each owner.
  template <class Visit> void forOwnPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) const;
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  void choose(Mode mode);
  bool races(const Warp &warp, uint32_t pc) const;
  void recordLoad(uint64_t me, uint32_t pc, uint64_t address, uint32_t bits);
  void recordWrite(uint64_t me, const std::byte *line, uint64_t address, uint32_t bits);
  /// These two choose the values that the owner gets instead of the bytes in memory.
  void chooseOlder(uint64_t me, uint64_t address, uint32_t bits, Other &other);
  void chooseNewer(uint64_t me, uint64_t address, uint32_t bits, Other &other);

  const RacingReads &reads_;
  const Apart apart_;
  const std::vector<GlobalAccess> accesses_; // by pc
  std::set<uint32_t> loads_;                 // pcs of the loads that count; empty: those in `reads_`
  Mode mode_ = Mode::Record;
  uint64_t to_ = 0; // the warp of Mode::Newer
  // The next tables belong to one run. Their owners are warps or threads, or one owner stands for all.
  bool last_ = false;            // in Mode::Older the last write counts, not the first
  PlaceTable<Write> writes_;     // the write that counts
  PlaceTable<std::byte> given_;  // the values that owners have got
  PlaceTable<NoValue> met_;      // the bytes that owners have loaded or written
  PlaceTable<uint32_t> waiting_; // per byte: the first entry in waiters_
  std::vector<Waiting> waiters_;
  // The next tables hold what was recorded.
  PlaceTable<NoValue> loaded_;
  size_t loadedBytes_ = 0;
  PlaceTable<std::byte> newer_;
  std::map<uint32_t, std::set<uint64_t>> readers_; // per pc: the warps that load
  uint64_t warpsOfBlock_ = 1;
};

} // namespace lanescope::core::emulator
