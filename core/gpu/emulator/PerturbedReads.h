// A program whose racing loads (check/RacingReads.h) read something else than is there: what depends on them then comes
// out differently.
//
//   PerturbedReads perturbed(program, reads, std::byte{0x55});   // takes the place of handlers, until it ends
//   RecordedGrid grid;  grid.perturbed = &perturbed;             // on one thread: memory is changed meanwhile
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/machine/Program.h"

#include <cstddef>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace lanescope::core::emulator {

class PerturbedReads {
public:
  /// `bits`: those that are turned in each byte; none: zeros are read, for which a poll waits on. Program and reads
  /// outlive this.
  PerturbedReads(Program &program, const RacingReads &reads, std::optional<std::byte> bits);
  ~PerturbedReads();
  PerturbedReads(const PerturbedReads &) = delete;
  PerturbedReads &operator=(const PerturbedReads &) = delete;

  /// Whether each thread that read something else has compared it with what is there, in an `atom.cas`: what a loop of
  /// them begins with may be anything, and costs another round.
  bool allCompared() const { return pending_.empty(); }
  /// Whether an array of the launch is one in which it did so.
  bool comparedIn(size_t array) const { return arrays_.contains(array); }

private:
  static Step load(Warp &warp, const Instr &i, uint32_t mask);

  static Step compare(Warp &warp, const Instr &i, uint32_t mask);

  Program &program_;
  const RacingReads &reads_;
  std::optional<std::byte> bits_;
  std::unordered_map<uint32_t, Handler> own_;                // by pc
  std::set<size_t> arrays_;                                  // in which `atom.cas` compares
  std::set<std::pair<uint64_t, const std::byte *>> pending_; // read by a thread of the grid, not compared yet
};

} // namespace lanescope::core::emulator
