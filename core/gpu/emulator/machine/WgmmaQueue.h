// A warp's wgmmas in flight.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

/// One wgmma in flight: computed when a wait orders it, which is as late as the rules allow.
struct WgmmaOp {
  const Instr *instr = nullptr;
  uint64_t a = 0, b = 0; // descriptors
  bool accumulate = true;
  bool computed = false;          // for another warp of the warpgroup, which has waited for it
  uint64_t group = UINT64_MAX;    // UINT64_MAX: not committed
  uint64_t issued = 0, ready = 0; // cycles
  uint32_t fenced = 0;            // the checker's epoch of the warp up to which its writes were fenced then
  uint32_t copied = 0;            // the same of its `cp.async`, up to which it had waited for them then

  /// The same part of another warp of the warpgroup, but for its rows.
  bool isLike(const WgmmaOp &other) const {
    return instr == other.instr && a == other.a && b == other.b && accumulate == other.accumulate;
  }
};

struct WgmmaQueue {
  std::vector<WgmmaOp> ops; // that this warp has not waited for
  uint64_t issued = 0;      // operations so far
  uint64_t committed = 0;   // groups so far
};

} // namespace lanescope::core::emulator
