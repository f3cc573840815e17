// A program whose racing loads (check/RacingReads.h) read something else than is there: what depends on them then comes
// out differently.
//
//   PerturbedReads perturbed(program, reads, std::byte{0x55});   // takes the place of handlers, until it ends
//   RecordedGrid grid;  grid.perturbed = &perturbed;             // on one thread: memory is changed meanwhile
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/machine/Program.h"

#include <cstddef>
#include <unordered_map>

namespace lanescope::core::emulator {

class PerturbedReads {
public:
  /// `bits`: those that are turned in each byte. Both arguments outlive this.
  PerturbedReads(Program &program, const RacingReads &reads, std::byte bits);
  ~PerturbedReads();
  PerturbedReads(const PerturbedReads &) = delete;
  PerturbedReads &operator=(const PerturbedReads &) = delete;

private:
  static Step load(Warp &warp, const Instr &i, uint32_t mask);

  Program &program_;
  const RacingReads &reads_;
  std::byte bits_;
  std::unordered_map<uint32_t, Handler> own_; // by pc
};

} // namespace lanescope::core::emulator
