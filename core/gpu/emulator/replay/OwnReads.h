// Records the strong loads of bytes that their own cluster wrote last in the run, and that other clusters wrote, too.
// If nothing orders the others' writes before the load, it may return a value without them. In this run it can't: no
// load returns an older value than its own thread's write. In a run whose cluster writes first (EarlyWrites.h), it can.
//
//   A: red.relaxed [sum], 5; atom.release r, [count], 1;
//   B: red.relaxed [sum], 7; atom.release q, [count], 1; ld.relaxed s, [sum];    // no acquire: s may be 7
//
//   OwnReads reads(program);
//   LANESCOPE_TRY(runs.under(reads));
//   for (const OwnRead &read : reads.found()) …
#pragma once

#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/StoreOrder.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

struct OwnRead {
  uint32_t load = 0;    // pc
  uint64_t cluster = 0; // the first block of the load's cluster
  uint64_t first = 0;   // the first block of the cluster that wrote there first
  uint64_t address = 0;
  uint32_t bytes = 0;
};

class OwnReads : public Perturbation {
public:
  explicit OwnReads(const Program &program) : orders_(storeOrdersOf(program)) {}

  void begin() override;
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// The first such load of each instruction, in the order of the run.
  const std::vector<OwnRead> &found() const { return found_; }

private:
  /// The writes to one place.
  struct Writes {
    uint64_t first = 0, last = 0; // the clusters of the first and last write
    bool several = false;         // several clusters write
  };

  const std::vector<StoreOrder> orders_;        // by pc
  std::unordered_map<uint64_t, Writes> writes_; // by address
  std::vector<OwnRead> found_;
};

} // namespace lanescope::core::emulator
