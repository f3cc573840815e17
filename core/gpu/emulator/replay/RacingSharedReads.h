// Changes what racing reads of shared memory return (check/SharedReads.h), if they are in loops or if their value may
// be discarded (check/DiscardedValues.h). After a call of turn(), they return other values than memory holds, and
// results that depend on them differ.
//
//   RacingSharedReads reads(program);
//   grid.sharedReads = &reads.found();         // a run finds the reads
//   reads.turn(std::byte{0x55});               // in the next run they return bytes with these bits inverted
#pragma once

#include "core/gpu/emulator/check/SharedReads.h"
#include "core/gpu/emulator/replay/Perturbation.h"

#include <cstddef>
#include <set>

namespace lanescope::core::emulator {

class RacingSharedReads : public Perturbation {
public:
  explicit RacingSharedReads(const Program &program);

  void begin() override { found_.begin(); }
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;
  void turn(std::byte bits) { bits_ = bits; }
  SharedReads &found() { return found_; }

private:
  std::set<uint32_t> inLoops_; // pcs
  SharedReads found_;
  std::byte bits_{};
};

} // namespace lanescope::core::emulator
