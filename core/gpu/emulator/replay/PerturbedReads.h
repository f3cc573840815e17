// Makes racing loads (check/RacingReads.h) return other values than memory holds. Results that depend on the loads then
// differ.
//
//   PerturbedReads perturbed(program, reads, std::byte{0x55});
//   RunResult other = LANESCOPE_TRY(runs.under(perturbed));
#pragma once

#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/replay/PendingReads.h"
#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/PlaceTable.h"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

class PerturbedReads : public Perturbation {
public:
  /// `bits`: the bits to invert in each byte. Without `bits`, the loads return zeros, with which a polling loop usually
  /// keeps waiting. A thread that has taken a number from a count (Counters.h) gets no zeros there, because it would
  /// take numbers forever. `reads` must outlive this object.
  PerturbedReads(const Program &program, const RacingReads &reads, std::optional<std::byte> bits);

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// True if each thread that got another value has compared it with memory in an `atom.cas`. The first value in such a
  /// loop may be arbitrary: a wrong one costs one more round.
  bool allCompared() const { return pending_.empty(); }
  /// True if threads compared perturbed values in that array of the launch.
  bool comparedIn(size_t array) const { return arrays_.contains(array); }

private:
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step loadZeros(Warp &warp, const Instr &i, uint32_t mask, Own own, std::span<std::byte *const> places);
  Step takeNumber(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step compare(Warp &warp, const Instr &i, uint32_t mask, Own own);

  const RacingReads &reads_;
  std::set<uint32_t> loads_; // pcs
  std::optional<std::byte> bits_;
  std::set<size_t> arrays_;     // arrays in which an `atom.cas` compared a perturbed value
  size_t lastArray_ = SIZE_MAX; // the array added last
  PendingReads pending_;
  const std::vector<bool> takesNumber_; // by pc
  PlaceTable<NoValue> taken_;           // by thread: the counts from which it has taken numbers
};

} // namespace lanescope::core::emulator
