// A program with perturbations. A replay runs its own copy of the code, in which the perturbed instructions call the
// perturbation. The decoded program stays unchanged.
//
//   Replay replay(program, {&staleLoads});
//   replay.attachTo(grid);        // a RecordedGrid; the replay outlives the run
#pragma once

#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/replay/Perturbation.h"

#include <vector>

namespace lanescope::core::emulator {

class Replay {
public:
  /// If several perturbations concern an instruction, the first of them is executed first. All arguments must outlive
  /// the replay.
  Replay(const Program &program, std::vector<Perturbation *> perturbations);
  Replay(const Replay &) = delete;
  Replay &operator=(const Replay &) = delete;

  void attachTo(RecordedGrid &grid);
  /// A run begins.
  void begin() const;

private:
  friend class Own;
  static Step dispatch(Warp &warp, const Instr &i, uint32_t mask);
  Step run(Warp &warp, const Instr &i, uint32_t mask, size_t next) const;

  const Program &program_;
  std::vector<Perturbation *> perturbations_;
  std::vector<std::vector<bool>> concerns_; // by perturbation, then by pc
  std::vector<Instr> code_;
};

} // namespace lanescope::core::emulator
