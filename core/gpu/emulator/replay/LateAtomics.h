// Performs atomics of one cluster late. An atomic whose result nothing reads may be performed after later accesses of
// its thread to other addresses, unless a fence, a release or a barrier lies between (PTX ISA, "Memory Consistency
// Model": a relaxed operation orders nothing):
//
//   A: red.relaxed [sum], 5; atom.relaxed r, [count], 1;       B: atom.relaxed q, [count], 1; ld.relaxed s, [sum];
//   // B may count last and miss the 5
//
//   LateAtomics late(program, pc, cluster);
//   RunResult other = LANESCOPE_TRY(runs.under({&late}));      // with checks
//
// LateStores hides a store until another thread writes its place. That does not serve an atomic: the others add to what
// it has left. So the warp skips the atomic, and performs it at the latest
// - before it executes a fence, a barrier or a release, accesses shared memory that others may read, or ends;
// - before it accesses the atomic's place again, or is to perform another atomic late;
// - after a few other accesses of memory.
// The warp stops there until the other clusters write nothing more, so that they act on what they have read.
#pragma once

#include "core/gpu/emulator/replay/GlobalPlaces.h"
#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/QuietStops.h"
#include "core/gpu/emulator/replay/StoreOrder.h"
#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

class LateAtomics : public Perturbation {
public:
  /// `Late`: atomics are performed late. `InTime`: warps stop in the same places, but perform each atomic in its place,
  /// so that only the schedule differs.
  enum class When : uint8_t { Late, InTime };
  /// The atomics by the instruction `atomic`, in the cluster with that first block. Their results must be unused
  /// (UnusedResults.h).
  LateAtomics(const Program &program, uint32_t atomic, uint64_t cluster, When when = When::Late);

  void begin() override;
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// The first atomic that was performed after a later access of its thread, which the last note names; nothing if
  /// there is none.
  const std::optional<Diagnostic> &finding() const { return finding_; }

private:
  /// An atomic that its warp has yet to perform.
  struct Late {
    const Instr *atomic = nullptr;
    uint32_t mask = 0;
    uint32_t steps = 0;                    // the warp's accesses of memory since
    std::vector<std::byte> registers = {}; // those of the warp at the atomic
    std::vector<uint64_t> places = {};     // the addresses of its lanes
    Diagnostic finding = {};
  };
  /// True if the warp must perform its late atomic before the instruction.
  bool mustComeFirst(Warp &warp, const Instr &i, uint32_t mask, const Late &late) const;
  Step perform(Warp &warp, Late late, Own own) const;
  Late lateOf(Warp &warp, const Instr &i, uint32_t mask) const;

  uint32_t atomic_;
  uint64_t cluster_;
  When when_;
  const std::vector<StoreOrder> orders_;    // by pc
  std::unordered_map<uint64_t, Late> late_; // by warp
  QuietStops stops_;
  uint64_t othersWrites_ = 0; // writes of other clusters
  uint32_t made_ = 0;         // late atomics so far
  std::optional<Diagnostic> finding_;
};

} // namespace lanescope::core::emulator
