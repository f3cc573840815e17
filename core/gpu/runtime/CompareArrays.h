// Compares two arrays: bit for bit, or by units in the last place.
#pragma once

#include "core/data/Array.h"

namespace lanescope::core {

struct Comparison {
  int64_t different = 0; // number of elements that differ by more than the caller allows
  /// The difference in words: "3 of 4096 elements differ, the first at (0, 5): 1.5 where 2 is expected"; empty if no
  /// element differs.
  std::string message;
  bool same() const { return message.empty(); }
};

/// If `ulps` is 0, the bits must be equal, so −0 differs from 0, and NaNs with different payloads differ. If it is
/// larger, two floats may be that many representable values apart, two integers may differ by that amount, and NaN
/// equals NaN. Dtypes and shapes must agree.
Comparison compareArrays(const Array &actual, const Array &expected, uint64_t ulps = 0);

} // namespace lanescope::core
