// A perturbation changes what some instructions do in a replay. For instance, a load returns another value that it
// could have returned, or a store is recorded. The results of the replay show if anything depends on the change.
//
//   class Zeros : public Perturbation {
//     bool concerns(const Program &program, uint32_t pc) const override;            // which instructions it changes
//     Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override {   // runs instead of each of them
//       …set the memory that the lanes in `mask` load to zero…
//       Step step = own(warp, i, mask);
//       …restore it…
//       return step;
//     }
//   };
//
// A replay runs on one host thread, because it changes memory around a load.
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

class Replay;

/// The instruction's own behaviour, without this perturbation.
class Own {
public:
  Own(const Replay &replay, size_t next) : replay_(replay), next_(next) {}
  Step operator()(Warp &warp, const Instr &i, uint32_t mask) const;

private:
  const Replay &replay_;
  size_t next_; // the next perturbation to run
};

class Perturbation {
public:
  virtual ~Perturbation() = default;
  /// A run begins.
  virtual void begin() {}
  /// True if execute() replaces the instruction.
  virtual bool concerns(const Program &program, uint32_t pc) const = 0;
  virtual Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) = 0;
};

} // namespace lanescope::core::emulator
