// Charges bank conflicts. A warp's access to shared memory has at least one wavefront per phase; each further wavefront
// costs a cycle.
//
//   BankConflicts conflicts(program);                  // replaces handlers in program.code
//   ChargedGrid grid;  grid.conflicts = &conflicts;    // the program runs only in such a grid
//   …run…
//   conflicts.wavefronts()                             // beyond one per phase, for the whole grid
#pragma once

#include "core/gpu/emulator/machine/Grid.h"
#include "layouts/cost/SmemAccess.h"

#include <atomic>
#include <vector>

namespace lanescope::core::emulator {

class BankConflicts {
public:
  explicit BankConflicts(Program &program);
  BankConflicts(const BankConflicts &) = delete;
  BankConflicts &operator=(const BankConflicts &) = delete;

  uint64_t wavefronts() const;
  /// The wavefronts of one instruction beyond one per phase.
  uint64_t wavefrontsAt(size_t pc) const { return accesses_[pc].wavefronts; }
  /// Forgets all counts, because the run begins again.
  void clear();

private:
  /// An instruction that accesses shared memory.
  struct Access {
    Handler run = nullptr; // the instruction's own handler
    layouts::SmemOp op = {};
    bool rowKnown = false; // Instr::rowKnown, as the decoder set it
    uint8_t phases = 1;    // number of wavefronts without conflicts, if all lanes access memory
    // The arrangements of the last row, and of the last lanes in no row, each with its conflicts in the lowest byte.
    std::atomic<uint64_t> lastRow = 0, lastLanes = 0;
    std::atomic<uint64_t> wavefronts = 0;
  };

  static Step charge(Warp &warp, const Instr &i, uint32_t mask);
  static Step chargeConflicts(Warp &warp, const Instr &i, uint32_t mask, Access &access);

  std::vector<Access> accesses_; // by pc
};

class GlobalTraffic;

struct ChargedGrid : Grid {
  BankConflicts *conflicts = nullptr;
  GlobalTraffic *traffic = nullptr;
};

} // namespace lanescope::core::emulator
