// The wgmmas of a warp that are in flight.
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
  bool computed = false;          // another warp of the warpgroup has waited for it, so it has been computed
  uint64_t group = UINT64_MAX;    // UINT64_MAX: not committed yet
  uint64_t issued = 0, ready = 0; // cycles
  uint32_t fenced = 0;            // the checker's epoch up to which the warp's writes were fenced at the issue
  uint32_t copied = 0;            // the epoch up to which the warp had waited for its `cp.async` copies at the issue

  /// True if `other` is another warp's part of the same operation of the warpgroup. The parts differ only in their
  /// rows.
  bool isLike(const WgmmaOp &other) const {
    return instr == other.instr && a == other.a && b == other.b && accumulate == other.accumulate;
  }
};

struct WgmmaQueue {
  std::vector<WgmmaOp> ops; // wgmmas that this warp has not waited for yet
  uint64_t issued = 0;      // number of wgmmas issued so far
  uint64_t committed = 0;   // number of groups committed so far
};

} // namespace lanescope::core::emulator
