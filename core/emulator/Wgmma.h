// wgmma m64nNk16 for f16 and bf16: each warp of a warpgroup owns 16 rows of the result, so a warp computes alone.
// Operations are kept in order and computed when `wgmma.wait_group` asks for them, which is as late as the rules allow:
// an accumulator that is read too early holds its old value.
//
// Sums are exact in binary64 over one instruction's K and rounded to the accumulator once; the hardware's accumulation
// differs in the last bits, so wgmma is listed as approximate (small integers come out the same).
#pragma once

#include "core/emulator/Machine.h"

namespace lanescope::core::emulator {

struct WgmmaVariant {
  uint16_t columns = 8; // N
  bool bf16 = false, halfResult = false, aInRegisters = false;
  bool negateA = false, negateB = false, transposeA = false, transposeB = false;

  uint64_t pack() const {
    return columns | static_cast<uint64_t>(bf16) << 16 | static_cast<uint64_t>(halfResult) << 17 |
           static_cast<uint64_t>(aInRegisters) << 18 | static_cast<uint64_t>(negateA) << 19 |
           static_cast<uint64_t>(negateB) << 20 | static_cast<uint64_t>(transposeA) << 21 |
           static_cast<uint64_t>(transposeB) << 22;
  }
  static WgmmaVariant unpack(uint64_t bits) {
    WgmmaVariant v;
    v.columns = static_cast<uint16_t>(bits);
    v.bf16 = bits >> 16 & 1;
    v.halfResult = bits >> 17 & 1;
    v.aInRegisters = bits >> 18 & 1;
    v.negateA = bits >> 19 & 1;
    v.negateB = bits >> 20 & 1;
    v.transposeA = bits >> 21 & 1;
    v.transposeB = bits >> 22 & 1;
    return v;
  }
};

Step issueWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step commitWgmma(Warp &warp, const Instr &i, uint32_t mask);
Step waitWgmma(Warp &warp, const Instr &i, uint32_t mask);

} // namespace lanescope::core::emulator
