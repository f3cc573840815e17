// Plain loads that race (check/RacingReads.h) give other values that were there: older ones, or what another warp
// writes next. The first run records them.
//
//   RacingValues values(reads, of);
//   values.record();          runs.under(values);      // where the loads go, what is written after them
//   values.giveOlder(false);  runs.under(values);
//   for (auto [block, warp] : values.warps(8)) {
//     values.giveNewer(block, warp);  runs.under(values);
//   }
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/replay/Perturbation.h"

#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class RacingValues : public Perturbation {
public:
  /// Of those loads, or of all by the same instructions: of many that race with one write the checker names some.
  /// `reads` outlive this.
  enum class Of : uint8_t { Reads, Instructions };
  RacingValues(const RacingReads &reads, Of of);

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
  using Place = std::pair<uint64_t, uint64_t>; // of a byte: a warp of the grid, and the address
  struct Write {
    uint64_t warp = 0;
    std::byte before{};
  };
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  void choose(Mode mode);
  bool races(const Warp &warp, uint32_t pc) const;
  std::byte valueFor(Place place, std::byte now);

  const RacingReads &reads_;
  std::set<uint32_t> loads_; // pcs of all that count; none: `reads_`
  Mode mode_ = Mode::Record;
  uint64_t to_ = 0; // the warp of Mode::Newer
  // Of a run.
  bool last_ = false;                          // of Mode::Older: the last write counts, not the first one
  std::unordered_map<uint64_t, Write> writes_; // by address: the one that counts
  std::map<Place, std::byte> given_;
  std::set<Place> met_;
  std::unordered_map<uint64_t, std::vector<std::pair<uint64_t, uint32_t>>> waiting_; // by address: warps, and their pc
  // What has been recorded.
  std::unordered_set<uint64_t> loaded_; // addresses
  std::map<Place, std::byte> newer_;
  std::map<uint32_t, std::set<uint64_t>> readers_; // by pc: warps
  uint64_t warpsOfBlock_ = 1;
};

} // namespace lanescope::core::emulator
