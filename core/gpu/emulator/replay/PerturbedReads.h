// Racing loads (check/RacingReads.h) read something else than is there: what depends on them then comes out
// differently.
//
//   PerturbedReads perturbed(reads, std::byte{0x55});
//   RunResult other = LANESCOPE_TRY(runs.under(perturbed));
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/replay/PendingReads.h"
#include "core/gpu/emulator/replay/Perturbation.h"

#include <cstddef>
#include <optional>
#include <set>
#include <span>

namespace lanescope::core::emulator {

class PerturbedReads : public Perturbation {
public:
  /// `bits`: those that are turned in each byte; none: zeros are read, for which a poll waits on. `reads` outlive this.
  PerturbedReads(const RacingReads &reads, std::optional<std::byte> bits);

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// Whether each thread that read something else has compared it with what is there, in an `atom.cas`: what a loop of
  /// them begins with may be anything, and costs another round.
  bool allCompared() const { return pending_.empty(); }
  /// Whether an array of the launch is one in which it did so.
  bool comparedIn(size_t array) const { return arrays_.contains(array); }

private:
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step loadZeros(Warp &warp, const Instr &i, uint32_t mask, Own own, std::span<std::byte *const> places);
  Step compare(Warp &warp, const Instr &i, uint32_t mask, Own own);

  const RacingReads &reads_;
  std::set<uint32_t> loads_; // pcs
  std::optional<std::byte> bits_;
  std::set<size_t> arrays_;     // in which `atom.cas` compares
  size_t lastArray_ = SIZE_MAX; // the one that was added last
  PendingReads pending_;
};

} // namespace lanescope::core::emulator
