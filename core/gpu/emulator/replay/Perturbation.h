// A perturbation changes what some instructions do in a replay: a load gives another value that it could have
// given, a store is noted. The replay's results say whether anything depends on it.
//
//   class Zeros : public Perturbation {
//     bool concerns(const Program &program, uint32_t pc) const override;            // which instructions
//     Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override {   // instead of each of them
//       …what lies where the lanes of `mask` load becomes zero…
//       Step step = own(warp, i, mask);
//       …and is put back…
//       return step;
//     }
//   };
//
// A replay runs on one thread of the host, because memory is changed around a load.
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

class Replay;

/// The instruction's own behaviour, without the perturbation at hand.
class Own {
public:
  Own(const Replay &replay, size_t next) : replay_(replay), next_(next) {}
  Step operator()(Warp &warp, const Instr &i, uint32_t mask) const;

private:
  const Replay &replay_;
  size_t next_; // the perturbation that is asked next
};

class Perturbation {
public:
  virtual ~Perturbation() = default;
  /// A run begins.
  virtual void begin() {}
  /// Whether execute() takes the place of the instruction.
  virtual bool concerns(const Program &program, uint32_t pc) const = 0;
  virtual Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) = 0;
};

} // namespace lanescope::core::emulator
