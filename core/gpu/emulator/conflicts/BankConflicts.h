// Charges bank conflicts: the wavefronts of a warp's access to shared memory beyond one per phase, a cycle each.
//
//   BankConflicts conflicts(program);                  // takes the place of handlers in program.code
//   ChargedGrid grid;  grid.conflicts = &conflicts;    // the program runs in such a grid alone
//   …run…
//   conflicts.wavefronts()                             // beyond one per phase, of the whole grid
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
  /// Those of one instruction.
  uint64_t wavefrontsAt(size_t pc) const { return accesses_[pc].wavefronts; }
  /// The run begins again.
  void clear();

private:
  /// An instruction that accesses shared memory.
  struct Access {
    Handler run = nullptr; // its own
    layouts::SmemOp op = {};
    bool rowKnown = false;             // Instr::rowKnown, as the decoder has it
    uint8_t phases = 1;                // wavefronts without any conflict, by all lanes
    std::atomic<uint64_t> lastRow = 0; // how the last row of lanes lay, with its conflicts in the lowest byte
    std::atomic<uint64_t> wavefronts = 0;
  };

  static Step charge(Warp &warp, const Instr &i, uint32_t mask);

  std::vector<Access> accesses_; // by pc
};

class GlobalTraffic;

struct ChargedGrid : Grid {
  BankConflicts *conflicts = nullptr;
  GlobalTraffic *traffic = nullptr;
};

} // namespace lanescope::core::emulator
