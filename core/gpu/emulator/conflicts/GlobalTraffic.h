// Counts what a run moves between global memory, the L2 cache and the multiprocessors, in sectors: the times that
// bandwidths set.
//
//   GlobalTraffic traffic(program);                         // takes the place of handlers in program.code
//   ChargedGrid grid;  grid.traffic = &traffic;             // the program runs in such a grid alone
//   traffic.begin(grid);                                    // its regions are there
//   …run…
//   traffic.totals().dramBytes                              // of the whole grid
//
// A sector that is read comes from DRAM once, and one that is written goes there once: an L2 cache that holds whatever
// the grid uses twice. Warps do not wait for any of it; the run as a whole is no shorter than its traffic (kDram…,
// kL2…).
#pragma once

#include "core/gpu/emulator/machine/Grid.h"

#include <memory>
#include <mutex>
#include <vector>

namespace lanescope::core::emulator {

namespace cost {

inline constexpr uint64_t kSectorBytes = 32;
/// NVIDIA's data sheets: H200 4.8 TB/s, HGX B200 8 TB/s for each GPU.
inline constexpr uint64_t kHopperDramBytesPerCycle = 4800, kBlackwellDramBytesPerCycle = 8000;
/// NVIDIA's A100 whitepaper, "L2 cache"; taken to be the same since.
inline constexpr uint64_t kL2BytesPerCycle = 5120;
/// Warp instructions that a multiprocessor issues (CUDA C++ Programming Guide, "Compute Capabilities": four
/// schedulers).
inline constexpr uint64_t kIssuesPerCycle = 4;

} // namespace cost

class GlobalTraffic {
public:
  struct Totals {
    uint64_t l2Bytes = 0;   // between the L2 cache and the multiprocessors
    uint64_t dramBytes = 0; // at least, between DRAM and the L2 cache
  };

  explicit GlobalTraffic(Program &program);
  GlobalTraffic(const GlobalTraffic &) = delete;
  GlobalTraffic &operator=(const GlobalTraffic &) = delete;

  /// Forgets what a run before has counted.
  void begin(const Grid &grid);
  Totals totals() const;

private:
  /// Bits of a line: its sectors that were read, and above them those that were written.
  static constexpr uint32_t kSectorsInLine = 4, kLineBytes = kSectorsInLine * cost::kSectorBytes;
  using LineUses = std::vector<uint8_t>; // of a region; threads reach its elements through std::atomic_ref

  static Step chargeAccess(Warp &warp, const Instr &i, uint32_t mask);
  static Step chargeCopy(Warp &warp, const Instr &i, uint32_t mask);
  /// The bytes [begin, end) are used, all of one region; gives the number of their sectors. `use`: kRead, kWritten.
  uint64_t use(uint64_t begin, uint64_t end, uint8_t use);
  /// Of the host's thread, for this run: no two threads count in one place.
  uint64_t &sectors();

  const Program &program_;
  std::vector<Handler> replaced_; // by pc
  std::vector<uint8_t> uses_;     // of the instruction, by pc
  std::vector<LineUses> regions_;
  uint64_t run_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<uint64_t>> counts_; // of threads
};

} // namespace lanescope::core::emulator
