// Watches a run step by step. A step, a *moment*, is an instruction of a warp or the landing of copies, numbered in the
// order in which they happen.
//
//   struct Watch : StepWatch { bool reached(…) override … };
//   watch.marks = …;  watch.stopAt = 1000;       // the steps that reached() is asked of
//   cluster.watch = &watch;
//
// A step is watched before it happens. reached() may look at all, and change nothing; false gives the run up.
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstdint>

namespace lanescope::core::emulator {

class StepWatch {
public:
  /// The block and, of an instruction, the warp and what it runs; null at a landing.
  struct Step {
    Block &block;
    Warp *warp = nullptr;
    const Instr *instr = nullptr;
    uint32_t pc = kNone, mask = 0; // lanes whose guard holds
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

  uint64_t moment = 0;            // of the next step
  uint64_t stopAt = UINT64_MAX;   // all steps from here on
  const uint8_t *marks = nullptr; // by pc: other than 0
  bool landings = false;

protected:
  ~StepWatch() = default;
  virtual bool reached(const Step &step) = 0;
};

} // namespace lanescope::core::emulator
