// Words for findings about unordered accesses of two lanes, in shared and in global memory.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <string_view>

namespace lanescope::core::emulator {

inline constexpr std::string_view kWarpSynchronousKind = "warp-synchronous";

class LaneWords {
public:
  /// The warp executes `i` after the lanes `theirs` of a warp have made the use `other`.
  LaneWords(const Ordering &order, const Warp &warp, const Instr &i, const Use &other, uint32_t theirs)
      : order_(order), warp_(warp), i_(i), other_(other), theirs_(theirs) {}

  /// "lane 3 of this warp", "lane 3 of warp 4".
  std::string who() const;
  /// The end of a hazard's message: what the kernel relies on.
  std::string inStep() const;
  Note missing() const;

private:
  bool isMine() const { return other_.agent == order_.numberOf(warp_); }
  std::string_view collectiveBetween() const;

  const Ordering &order_;
  const Warp &warp_;
  const Instr &i_;
  const Use &other_;
  uint32_t theirs_;
};

} // namespace lanescope::core::emulator
