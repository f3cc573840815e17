// A warp's wgmmas in flight.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

/// One wgmma in flight. It is computed when a wait orders it, which is as late as the rules allow.
struct WgmmaOp {
  const Instr *instr = nullptr;
  uint64_t a = 0, b = 0; // descriptors
  bool accumulate = true;
  bool computed = false;          // already, for another warp of the warpgroup that has waited for it
  uint64_t group = UINT64_MAX;    // UINT64_MAX: not committed
  uint64_t issued = 0, ready = 0; // cycles
  uint32_t fenced = 0;            // the checker's epoch up to which the warp's writes were fenced at issue
  uint32_t copied = 0;            // the epoch up to which the warp had waited for its `cp.async` copies at issue

  /// True if `other` is the part that another warp of the warpgroup has of the same operation; only the rows differ.
  bool isLike(const WgmmaOp &other) const {
    return instr == other.instr && a == other.a && b == other.b && accumulate == other.accumulate;
  }
};

struct WgmmaQueue {
  std::vector<WgmmaOp> ops; // this warp has not waited for them yet
  uint64_t issued = 0;      // operations so far
  uint64_t committed = 0;   // groups so far
};

} // namespace lanescope::core::emulator
