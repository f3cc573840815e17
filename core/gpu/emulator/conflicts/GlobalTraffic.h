// Counts what a run moves between global memory, the L2 cache and the multiprocessors, in sectors. The bandwidths give
// the times that these transfers need at least.
//
//   GlobalTraffic traffic(program);                         // replaces handlers in program.code
//   ChargedGrid grid;  grid.traffic = &traffic;             // the program runs only in such a grid
//   traffic.begin(grid);                                    // after the grid has its regions
//   …run…
//   traffic.dramBytes()                                     // for the whole grid
//
// A sector that is read comes from DRAM once, and a written sector goes there once. The model is an L2 cache that holds
// everything that the grid uses twice. Warps do not wait for this traffic. It makes the whole run longer.
#pragma once

#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <vector>

namespace lanescope::core::emulator {

class GlobalTraffic {
public:
  explicit GlobalTraffic(Program &program);
  GlobalTraffic(const GlobalTraffic &) = delete;
  GlobalTraffic &operator=(const GlobalTraffic &) = delete;

  /// Forgets the counts of an earlier run.
  void begin(const Grid &grid);
  /// The smallest possible number of bytes that move between DRAM and the L2 cache.
  uint64_t dramBytes() const;

private:
  /// One bit for each sector of a line that was read, and above these, one bit for each sector that was written.
  static constexpr uint32_t kSectorsInLine = 4, kLineBytes = kSectorsInLine * cost::kSectorBytes;
  using LineUses = std::vector<uint8_t>; // per region; threads access its elements through std::atomic_ref

  static Step chargeAccess(Warp &warp, const Instr &i, uint32_t mask);
  static Step chargeMatrix(Warp &warp, const Instr &i, uint32_t mask);
  static Step chargeCopy(Warp &warp, const Instr &i, uint32_t mask);
  /// Records the use of the bytes [begin, end) of one region. Returns the number of their sectors. `use`: kRead,
  /// kWritten.
  uint64_t use(uint64_t begin, uint64_t end, uint8_t use);

  std::vector<Handler> replaced_; // by pc
  std::vector<uint8_t> uses_;     // by pc: kRead and kWritten of the instruction
  std::vector<LineUses> regions_;
};

} // namespace lanescope::core::emulator
