// Watches a run step by step. A step is an instruction of a warp, or the landing of copies. Steps are numbered in the
// order in which they happen. The number of a step is called a *moment*.
//
//   struct Watch : StepWatch { bool reached(…) override … };
//   watch.marks = …;  watch.stopAt = 1000;       // the steps for which reached() is called
//   cluster.watch = &watch;
//
// reached() is called before the step happens. It may read anything, but must change nothing. It returns false to
// abandon the run.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

class StepWatch {
public:
  /// The block of the step and, for an instruction, the warp and the instruction. `warp` and `instr` are null for a
  /// landing.
  struct Step {
    Block &block;
    Warp *warp = nullptr;
    const Instr *instr = nullptr;
    uint32_t pc = kNone, mask = 0; // the lanes whose guard holds
  };

  bool step(Warp &warp, const Instr &i, uint32_t pc, uint32_t mask) {
    if ((moment >= stopAt || marks[pc]) && !reached({*warp.block, &warp, &i, pc, mask})) [[unlikely]]
      return false;
    ++moment;
    return true;
  }
  bool landing(Block &block) {
    if ((moment >= stopAt || landings) && !reached({block})) [[unlikely]]
      return false;
    ++moment;
    return true;
  }

  uint64_t moment = 0;            // the number of the next step
  uint64_t stopAt = UINT64_MAX;   // reached() is called for all steps from this one on
  const uint8_t *marks = nullptr; // by pc: a value other than 0 marks the instruction
  bool landings = false;

protected:
  ~StepWatch() = default;
  virtual bool reached(const Step &step) = 0;
};

} // namespace lanescope::core::emulator
