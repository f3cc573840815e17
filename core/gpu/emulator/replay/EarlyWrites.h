// Lets one cluster write a place before all others. Their writes of the place wait. Before a warp of the cluster that
// has written there can publish its writes, it stops until the other clusters write nothing more. So their writes come
// last, and a later load of the cluster may return a value without them if nothing orders the two (StaleLoads.h):
//
//   B: red.relaxed [sum], 7; (the others add and count) atom.release q, [count], 1; ld.relaxed s, [sum];
//
//   EarlyWrites early(program, read);                          // `read` comes from OwnReads
//   StaleLoads stale(program, read.load);
//   RunResult other = LANESCOPE_TRY(runs.under({&early, &stale}));
#pragma once

#include "core/gpu/emulator/replay/OwnReads.h"
#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/QuietStops.h"
#include "core/gpu/emulator/replay/StoreOrder.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lanescope::core::emulator {

class EarlyWrites : public Perturbation {
public:
  /// `read` names the place. `cluster` is the first block of the cluster that writes first.
  EarlyWrites(const Program &program, const OwnRead &read, uint64_t cluster)
      : read_(read), cluster_(cluster), orders_(storeOrdersOf(program)) {}

  void begin() override;
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

private:
  bool writesPlace(Warp &warp, const Instr &i, uint32_t mask) const;
  /// True if the instruction may publish its warp's writes of the place: a fence, a barrier, or a write of another
  /// place by an instruction that has never written this one.
  bool mayPublish(Warp &warp, const Instr &i, uint32_t mask) const;
  /// Executes an instruction of the cluster that writes first.
  Step executeFirst(Warp &warp, const Instr &i, uint32_t mask, Own own);

  const OwnRead read_;
  const uint64_t cluster_;
  const std::vector<StoreOrder> orders_; // by pc
  QuietStops stops_;
  bool begun_ = false;                         // the cluster has written, or the others have waited too long
  std::unordered_map<uint64_t, bool> writers_; // warps of the cluster that have written; true: they have stopped
  std::unordered_set<uint32_t> writes_;        // the pcs of these writes
  uint64_t accesses_ = 0;                      // accesses by all warps that do not wait
  uint64_t othersWrites_ = 0;                  // writes by the other clusters
};

} // namespace lanescope::core::emulator
