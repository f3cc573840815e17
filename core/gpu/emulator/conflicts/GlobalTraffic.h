// Counts what a run moves between global memory, the L2 cache and the multiprocessors, in sectors: the times that
// bandwidths set.
//
//   GlobalTraffic traffic(program);                         // takes the place of handlers in program.code
//   ChargedGrid grid;  grid.traffic = &traffic;             // the program runs in such a grid alone
//   traffic.begin(grid);                                    // its regions are there
//   …run…
//   traffic.dramBytes()                                     // of the whole grid
//
// A sector that is read comes from DRAM once, and one that is written goes there once: an L2 cache that holds whatever
// the grid uses twice. Warps do not wait for any of it; the run as a whole takes longer by its traffic.
#pragma once

#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <vector>

namespace lanescope::core::emulator {

namespace cost {

/// 4.5 TB/s that an H200 reads (tests/gpu/memory_speeds.cu), at its 1.98 GHz; for a B200 by the data sheets' ratio, 8
/// to 4.8 TB/s.
inline constexpr uint64_t kHopperDramBytesPerCycle = 2290, kBlackwellDramBytesPerCycle = 3800;

} // namespace cost

class GlobalTraffic {
public:
  explicit GlobalTraffic(Program &program);
  GlobalTraffic(const GlobalTraffic &) = delete;
  GlobalTraffic &operator=(const GlobalTraffic &) = delete;

  /// Forgets what a run before has counted.
  void begin(const Grid &grid);
  /// That move between DRAM and the L2 cache, at least.
  uint64_t dramBytes() const;

private:
  /// Bits of a line: its sectors that were read, and above them those that were written.
  static constexpr uint32_t kSectorsInLine = 4, kLineBytes = kSectorsInLine * cost::kSectorBytes;
  using LineUses = std::vector<uint8_t>; // of a region; threads reach its elements through std::atomic_ref

  static Step chargeAccess(Warp &warp, const Instr &i, uint32_t mask);
  static Step chargeMatrix(Warp &warp, const Instr &i, uint32_t mask);
  static Step chargeCopy(Warp &warp, const Instr &i, uint32_t mask);
  /// The bytes [begin, end) are used, all of one region; gives the number of their sectors. `use`: kRead, kWritten.
  uint64_t use(uint64_t begin, uint64_t end, uint8_t use);

  std::vector<Handler> replaced_; // by pc
  std::vector<uint8_t> uses_;     // of the instruction, by pc
  std::vector<LineUses> regions_;
};

} // namespace lanescope::core::emulator
