// Makes racing plain loads (check/RacingReads.h) return other values that the place really held: an older value, or the
// value that another warp or another lane writes next. The first run records these values.
//
//   RacingValues values(program, reads, of);
//   values.record();          runs.under(values);      // where the loads go, and what is written there after them
//   values.giveOlder(false);  runs.under(values);
//   for (auto [block, warp] : values.warps(8)) {
//     values.giveNewer(block, warp);  runs.under(values);
//   }
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/replay/Counters.h"
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
  /// The loads that return other values. Reads: only those in `reads`. Instructions: all loads by the same
  /// instructions, because the checker names only some of the loads that race with one write. `reads` must outlive this
  /// object.
  enum class Of : uint8_t { Reads, Instructions };
  /// The writes that count as those of another owner. Warps: writes of other warps. Lanes: also writes of other lanes
  /// of the warp.
  enum class Apart : uint8_t { Warps, Lanes };
  RacingValues(const Program &program, const RacingReads &reads, Of of, Apart apart = Apart::Warps);

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// The loads return the value from before another warp's first (or, with `last`, last) write. A warp that has loaded
  /// the value gets it again until the warp itself writes there, as if the compiler had loaded it once. So a polling
  /// loop never ends.
  void giveOlder(bool last);
  /// In the next run, records which places the loads read, and what is written there afterwards.
  void record();
  /// True if all values of the loads could be recorded. If there are too many, the remaining loads are not perturbed.
  bool isComplete() const;
  /// Gives the newer values to one warp, at places that it has not loaded or written yet. Only one warp gets them in a
  /// run: if all warps read that some work is done, no warp does the work.
  void giveNewer(uint32_t block, uint32_t warp);
  /// The warps, with their blocks, whose loads could get another value: first one warp for each load, then more, up to
  /// `most`.
  std::vector<std::pair<uint32_t, uint32_t>> warps(size_t most) const;
  /// The counts that the loads read: all writes after the first load take numbers.
  const Counters &counters() const { return counters_; }

private:
  enum class Mode : uint8_t { Older, Record, Newer };
  /// The value of a byte before a write. The writer, `owner`, is a warp or a thread of the grid. `number` counts the
  /// writes of the run.
  struct Write {
    uint64_t owner = 0, number = 0;
    std::byte before{};
  };
  /// An owner has loaded a byte by the instruction `pc`, and no owner has written the byte since. `next` is the next
  /// entry for the same byte.
  struct Waiting {
    uint64_t owner = 0;
    uint32_t pc = 0, next = 0;
  };
  /// Bytes of one lane for which a load returns values that differ from memory.
  struct Other {
    std::byte *at = nullptr;
    uint32_t bits = 0; // the bytes that differ, of the line at `at`
    std::array<std::byte, kLineBytes> values;
    void swap();
  };
  uint64_t ownerOf(const Warp &warp, uint32_t lane) const;
  uint64_t warpOfOwner(uint64_t owner) const;
  /// Calls visit(lane, place, address) once for each address that an owner uses.
  template <class Visit> void forOwnPlaces(Warp &warp, const Instr &i, uint32_t mask, Visit visit) const;
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  void choose(Mode mode);
  bool races(const Warp &warp, uint32_t pc) const;
  void recordLoad(uint64_t me, uint32_t pc, uint64_t address, uint32_t bits);
  void recordWrite(uint64_t me, const std::byte *line, uint64_t address, uint32_t bits);
  /// Records a write of bytes that the loads have read: an atomic that takes a number, or another write.
  void recordUpdate(const Grid &grid, uint64_t address, uint32_t bits, bool takesNumber);
  /// The next two functions choose the values that the owner gets in place of those in memory.
  void chooseOlder(uint64_t me, uint64_t thread, uint64_t address, uint32_t bits, Other &other);
  void chooseNewer(uint64_t me, uint64_t address, uint32_t bits, Other &other);

  const RacingReads &reads_;
  const Apart apart_;
  const std::vector<GlobalAccess> accesses_; // by pc
  const std::vector<bool> takesNumber_;      // by pc
  std::set<uint32_t> loads_;                 // pcs of the perturbed loads; empty: only the loads in `reads_`
  Mode mode_ = Mode::Record;
  uint64_t to_ = 0; // in Mode::Newer, the warp that gets the newer values
  // The next tables belong to one run. An owner is a warp or a thread, or one owner stands for all.
  bool last_ = false;            // in Mode::Older, the last write counts and not the first
  PlaceTable<Write> writes_;     // the write that counts
  PlaceTable<std::byte> given_;  // the values that owners have loaded
  PlaceTable<uint64_t> own_;     // by thread: the last write by which it took a number. It loads nothing older
  uint64_t count_ = 0;           // writes so far
  PlaceTable<NoValue> met_;      // the bytes that owners have loaded or written
  PlaceTable<uint32_t> waiting_; // per byte: the first entry in waiters_
  std::vector<Waiting> waiters_;
  // The next tables hold what was recorded in the first run.
  PlaceTable<NoValue> loaded_;
  size_t loadedBytes_ = 0;
  PlaceTable<std::byte> newer_;
  PlaceTable<NoValue> numbers_; // bytes from which atomics have taken numbers
  PlaceTable<NoValue> others_;  // bytes that other writes have changed
  Counters counters_;
  std::map<uint32_t, std::set<uint64_t>> readers_; // per pc: the warps that load
  uint64_t warpsOfBlock_ = 1;
};

} // namespace lanescope::core::emulator
